#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <wring/io.h>

/* Feeds all bytes of a file; false if it cannot be read or the library fails. */
static PetscBool digest_file(FILE *file, EVP_MD_CTX *digest)
{
  unsigned char bytes[1 << 14];
  int           good = EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
  for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, file)) > 0;) good = EVP_DigestUpdate(digest, bytes, n);
  return (PetscBool)(good && !ferror(file));
}

void wring_file_sha256(const char *path, char text[WRING_SHA256_TEXT], wring_error *e)
{
  unsigned char     hash[EVP_MAX_MD_SIZE];
  unsigned          n      = 0;
  FILE *const       file   = fopen(path, "rb");
  EVP_MD_CTX *const digest = EVP_MD_CTX_new();
  text[0]                  = '\0';
  if (!file || !digest || !digest_file(file, digest) || !EVP_DigestFinal_ex(digest, hash, &n))
    wring_error_set(e, "%s: cannot be read: %s", path, strerror(errno));
  for (unsigned i = 0; i < n && 2 * i + 2 < WRING_SHA256_TEXT; i++) snprintf(text + 2 * i, 3, "%02x", hash[i]);
  EVP_MD_CTX_free(digest);
  if (file) fclose(file);
}
