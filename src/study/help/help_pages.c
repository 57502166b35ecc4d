/* Pages that are made from the tables of keys and commands: the man page wring(1), completion, docs/reference.md. */
#include "help.h"
#include "study/mesh/mesh_command.h"
#include <stdio.h>
#include <string.h>

/* ---- fields and templates ---------------------------------------------------------------------------------------- */

/*
  Texts by the letter that stands for them behind % in a template. Of a key: k key, n up to a name in it, g with * for
  the name, o owners, l level of their heading, t what it accepts, b without unit u and range r, w as words, v default,
  h help. Of a command: s what separates it from the one before, c name, a arguments, h help.
*/
typedef const char *fields[128];

/* What a field has in the place of a character, also in code between ` and ` or not. The last one is {0}. */
typedef struct {
  char        from;
  const char *to;
  PetscBool   in_code;
} escape;

static void put(const escape *escapes, const char *text)
{
  PetscBool code = PETSC_FALSE;
  for (; *text; text++) {
    const escape *e = escapes;
    if (*text == '`') code = (PetscBool)!code;
    while (e->from && (e->from != *text || (code && !e->in_code))) e++;
    if (e->from)
      fputs(e->to, stdout);
    else
      putchar(*text);
  }
}

/* A part {in braces} is left out if a field in it is empty. */
static void fill(const escape *escapes, const char *template, fields f)
{
  for (const char *t = template; *t; t++) {
    const char *const end = *t == '{' ? strchr(t, '}') : t;
    for (const char *p = t; p < end; p++)
      if (*p == '%' && !f[(int)p[1]][0]) t = end;
    if (*t == '%')
      put(escapes, f[(int)*++t]);
    else if (*t != '{' && *t != '}')
      putchar(*t);
  }
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* A part of a page: a text, or a template that is filled for every command or key. */
typedef struct {
  enum { TEXT = 1, COMMANDS, MESH_COMMANDS, KEYS } of;
  const char *text;
} part;

static const char man_head[] =
  ".TH WRING 1\n.SH NAME\nwring \\- deformable bodies on tetrahedral meshes, solvers compared on one energy\n"
  ".SH SYNOPSIS\n[mpiexec \\-n N] wring COMMAND [DECK] [\\-key value ...]\n.SH DESCRIPTION\n"
  "A deck is a YAML file. Its key a: {b: value} is a_b, and \\-a_b value on the command line replaces it. Files that "
  "a "
  "deck names are relative to the deck; paths on the command line, and output_directory and initial_restart anywhere, "
  "are relative to the working directory. Quantities are in SI units.\n.SH COMMANDS\n";

static const char man_status[] =
  ".SH EXIT STATUS\n0 done; 1 bad input or usage; 2 a solver failed, or the state has diverged; 3 stopped by a signal "
  "or by time_limit; 4 an output file cannot be written; 5 an internal error\n.SH KEYS\n"
  "NAME stands for the name of a set, region, probe or other part. region_NAME_KEY is every KEY of material_ for one "
  "region, body_NAME_material_KEY for one body, body_NAME_file, _scale and _box_KEY those of mesh_, variant_NAME_KEY "
  "every KEY of the solver type in variant_NAME_type.\n";

static const escape roff[] = {{'\\', "\\e", PETSC_TRUE}, {'-', "\\-", PETSC_TRUE}, {'`', "\\(oq", PETSC_TRUE}, {0}};
static const part   man[]  = {{TEXT, man_head},
                              {COMMANDS, ".TP\n.B wring %c\n{\\fI%a\\fR\n.br\n}%h\n"},
                              {MESH_COMMANDS, ".TP\n.B wring mesh %c\n{\\fI%a\\fR\n.br\n}%h\n"},
                              {TEXT, man_status},
                              {KEYS, ".TP\n.B %k\n%t{; default %v}\n.br\n%h\n"},
                              {TEXT, ".SH SEE ALSO\nmpiexec(1), paraview(1), gmsh(1)\n"},
                              {0}};

static const char bash_functions[] =
  "  esac\n}\n"
  "_wring_keys_of() {\n" // a command reads no keys of another one
  "  local others\n"
  "  others=$(_wring_commands | tr ' ' '\\n' | grep -vxF -e \"$1\" -e mesh | paste -sd '|')\n"
  "  [ \"$1\" = run ] || others+='|checkpoint'\n"
  "  _wring_keys | grep -vE \"^-($others)_\"\n"
  "}\n"
  "_wring() {\n"
  "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=''\n"
  "  case $COMP_CWORD,$command in\n"
  "  1,*) words=$(_wring_commands) ;;\n"
  "  2,mesh) words=$(_wring_mesh_commands) ;;\n"
  "  2,help) words=\"deck man bash reference $(_wring_commands) $(_wring_keys | sed 's/^-//')\" ;;\n"
  "  *) case $current in -*) words=$(_wring_keys_of \"$command\") ;; "
  "*) words=$(_wring_values \"$previous\") ;; esac ;;\n"
  "  esac\n"
  "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
  "  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
  "  case ${#COMPREPLY[@]},${COMPREPLY[0]-} in 1,*_) type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null ;; "
  "esac\n"
  "}\n"
  "complete -o filenames -F _wring wring\n";

/* A key with a name is completed up to the name: -attach_. Values that are paths complete as files do. */
static const escape words[] = {{'|', " ", PETSC_TRUE}, {0}};
static const part   bash[]  = {
     {TEXT, "# Completion of wring for bash; made by `wring help bash`.\n_wring_commands() { echo '"},
     {COMMANDS, "%s%c"},
     {TEXT, "'; }\n_wring_mesh_commands() { echo '"},
     {MESH_COMMANDS, "%s%c"},
     {TEXT, "'; }\n_wring_keys() {\n  sort -u <<'END'\n"},
     {KEYS, "-%n\n"},
     {TEXT, "END\n}\n_wring_values() {\n  case $1 in\n"},
     {KEYS, "{  -%g) echo '%w' ;;\n}"},
     {TEXT, bash_functions},
     {0}};

static const char reference_head[] =
  "# Reference\n\n"
  "Every key of a deck, as `wring help reference` prints them from the program's own tables; "
  "the [user guide](user.md)\n"
  "says how to use them. `a_b_c` is the key `a: {b: {c: value}}` of a deck, "
  "and `-a_b_c value` on the command line. NAME\n"
  "stands for the name of a set, region, probe or other part. "
  "A heading names the laws, solvers or shapes whose keys\n"
  "follow. `(0,inf)` is above 0, `[0,inf)` from 0 on. "
  "A key without a default is optional or required, as its\n"
  "description says.\n\n"
  "`region_NAME_KEY` is every KEY of `material_` for one region, "
  "`body_NAME_material_KEY` for one body, and\n"
  "`variant_NAME_KEY` every KEY of the solver type in `variant_NAME_type`. "
  "`body_NAME_file`, `body_NAME_scale` and\n"
  "`body_NAME_box_KEY` are the keys of `mesh_` for one body.\n";

static const escape markdown[]  = {{'|', "\\|", PETSC_TRUE}, {'*', "\\*", PETSC_FALSE}, {'<', "\\<", PETSC_FALSE}, {0}};
static const part   reference[] = {{TEXT, reference_head}, {KEYS, "| `%k` | %b | %u | %r | {`%v` }| %h |\n"}, {0}};

typedef struct {
  const char   *name, *heading; // heading: before keys with other owners than the one before
  const part   *parts;
  const escape *escapes;
} help_page;

static const help_page pages[] = {
  {"man", ".SS %o\n", man, roff},
  {"bash", "", bash, words},
  {"reference", "\n%l %o\n\n| key | value | unit | limits | default | |\n|---|---|---|---|---|---|\n", reference,
   markdown},
};
enum { N_PAGE = sizeof pages / sizeof pages[0] };

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const help_page *page;
  const part      *part;
  char             owners[512]; // of the key before
} walk;

static void fill_commands(const walk *w, const wring_usage *list)
{
  for (const wring_usage *u = list; u->name; u++)
    fill(w->page->escapes, w->part->text,
         (fields){['s'] = u > list ? " " : "", ['c'] = u->name, ['a'] = u->arguments, ['h'] = u->help});
}

static PetscErrorCode fill_key(void *context, const char *key, const wring_option *p, const char *owners)
{
  walk *const       w    = context;
  const char *const name = strstr(key, "NAME"), *const known = wring_option_choices(p);
  const char *const choices = p->type == WRING_BOOL ? "true|false" : known;
  const int         n       = name ? (int)(name - key) : (int)strlen(key);
  wring_option      bare    = *p;
  char              accepts[512], type[512], begin[256], pattern[512];

  PetscFunctionBegin;
  bare.unit = bare.range = NULL;
  wring_options_describe(p, sizeof accepts, accepts);
  wring_options_describe(&bare, sizeof type, type);
  snprintf(begin, sizeof begin, "%.*s", n, key);
  snprintf(pattern, sizeof pattern, "%s%s%s", begin, name ? "*" : "", name ? name + strlen("NAME") : "");
  fields f = {['k'] = key,
              ['n'] = begin,
              ['g'] = pattern,
              ['o'] = owners,
              ['l'] = strchr(owners, ' ') ? "###" : "##", // "solver qn" is below "solver"
              ['t'] = accepts,
              ['b'] = type,
              ['u'] = p->unit ? p->unit : "",
              ['r'] = p->range ? p->range : "",
              ['w'] = choices ? choices : "",
              ['v'] = p->value ? p->value : "",
              ['h'] = p->help};
  if (strcmp(owners, w->owners)) fill(w->page->escapes, w->page->heading, f);
  snprintf(w->owners, sizeof w->owners, "%s", owners);
  fill(w->page->escapes, w->part->text, f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_page(const help_page *page, const wring_usage *commands, const wring_catalogue *c)
{
  PetscInt n;

  PetscFunctionBegin;
  for (const part *p = page->parts; p->of; p++) {
    walk w = {page, p, ""};
    if (p->of == TEXT) fputs(p->text, stdout);
    if (p->of == COMMANDS) fill_commands(&w, commands);
    if (p->of == MESH_COMMANDS) fill_commands(&w, wring_mesh_usage);
    if (p->of == KEYS) PetscCall(wring_options_visit(c->n, c->entry, NULL, fill_key, &w, &n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_help_page(MPI_Comm comm, const char *name, const wring_usage *commands, const wring_catalogue *c,
                               PetscBool *printed)
{
  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  *printed               = PETSC_FALSE;
  for (int i = 0; i < N_PAGE; i++) {
    if (strcmp(name, pages[i].name) != 0) continue;
    *printed = PETSC_TRUE;
    if (rank == 0) PetscCall(print_page(&pages[i], commands, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
