"""The table of mutants: what each died of, from one call to the next."""
import hashlib
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
TABLE = HERE / "table.tsv"
EXCUSED = HERE / "excused.tsv"
COLUMNS = ("id", "file", "kind", "old", "new", "line", "verdict")

def read(path):
    """{id: row}, in the file's order."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    # Other tables that this reads have columns of their own.
    if names[0] != "id":
        sys.exit(f"{path}:1: no row of names, which begins with 'id'")
    return {row["id"]: row for row in
            (dict(zip(names, line.split("\t"))) for line in lines[1:])}


def row_of(candidate, verdict):
    text = " ".join(candidate.text.split())
    old, new = candidate.change()
    if candidate.kind == "row":
        old = new = "-"
    elif candidate.kind == "constant":
        old, new = "-", " ".join(new.split()[2:])
    return dict(zip(COLUMNS, (candidate.id, candidate.file, candidate.kind,
                              old, new, text, verdict)))


def write(rows):
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row[c] for c in COLUMNS) for row in
              sorted(rows.values(), key=lambda r: (r["file"], r["line"],
                                                   r["id"]))]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def drawn(items, seed, key):
    return sorted(items, key=lambda item: hashlib.sha1(
        f"{seed} {key(item)}".encode()).digest())
