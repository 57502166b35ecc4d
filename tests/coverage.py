"""Line coverage of src by gcov: python3 coverage.py BUILD_DIR PERCENT. Prints every file below PERCENT with the lines
that were not run, and the total; status 1 if the total is below."""
import collections, gzip, json, os, subprocess, sys, tempfile

build, least = os.path.abspath(sys.argv[1]), float(sys.argv[2])
source = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
runs = collections.defaultdict(dict)  # file -> line -> number of runs
notes = [os.path.join(d, f) for d, _, names in os.walk(build) for f in names
         if f.endswith(".gcda") and os.path.join(build, "tests") not in d]
with tempfile.TemporaryDirectory() as work:
    for i in range(0, len(notes), 50):
        subprocess.run(["gcov", "--json-format", *notes[i:i + 50]], cwd=work, check=True, stdout=subprocess.DEVNULL)
        for name in os.listdir(work):
            with gzip.open(os.path.join(work, name)) as f:
                for file in json.load(f)["files"]:
                    path = os.path.relpath(os.path.join(source, file["file"]), source)
                    for line in file["lines"] if path.startswith("src/") else []:
                        lines = runs[path]
                        lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
            os.remove(os.path.join(work, name))


def ranges(numbers):
    text, numbers = [], sorted(numbers)
    while numbers:
        n = 1
        while n < len(numbers) and numbers[n] <= numbers[n - 1] + 2:
            n += 1
        text.append(str(numbers[0]) if n == 1 else f"{numbers[0]}-{numbers[n - 1]}")
        numbers = numbers[n:]
    return " ".join(text)


total = covered = 0
for path, lines in sorted(runs.items()):
    ran = sum(n > 0 for n in lines.values())
    total, covered = total + len(lines), covered + ran
    if ran < least / 100 * len(lines):
        print(f"{path}: {ran} of {len(lines)} lines, not {ranges(k for k, n in lines.items() if n == 0)}")
percent = 100 * covered / max(total, 1)
print(f"{len(runs)} files of src, {covered} of {total} lines run: {percent:.1f} %")
sys.exit(percent < least)
