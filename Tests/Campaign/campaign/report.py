"""Writes the results of full size as a table, with one line for each row."""

from campaign import rows

HEAD = """# Results of the campaign

`Tests/Campaign/run.py --report` writes this file from the results of full size; [README.md](README.md) says what each row
proves. A row is complete when all its units are done. Shards that are broken, and controls that are not caught, are listed
below the table. A result counts until a newer one of the same shard replaces it, also after a change of the sources: the column
"commit" says what was tested. The time is the sum of all shards; two run at a time.

| row | what | done | held | controls caught | figures | seeds | commit | time |
|---|---|---|---|---|---|---|---|---|
"""


def write(results, file):
    table, notes = [], []
    for row in rows.named([]):
        found = latest([result for result in results if result["row"] == row.name and result["size"] == "full"])
        table.append(line(row, found))
        notes += [f"- {row.name}/{result['variant']}/{result['number']}"
                  f"{' control ' + result['control'] if result['control'] else ''}: {result['broken'].splitlines()[0]}"
                  for result in found if result["broken"]]
    file.write_text(HEAD + "\n".join(table) + "\n" + ("\n" + "\n".join(notes) + "\n" if notes else ""))


def latest(results):
    """The last result of each shard and control. Results of other sources count while there is no newer one."""
    newest = {}
    for result in results:
        newest[tuple(result[name] for name in ("variant", "number", "control", "seed"))] = result
    return list(newest.values())


def line(row, found):
    shards = [result for result in found if not result["control"]]
    controls = [result for result in found if result["control"]]
    units, skipped = (sum(result[name] for result in shards) for name in ("units", "skipped"))
    broken = sum(bool(result["broken"]) for result in shards)
    cells = [
        row.name, row.what, f"{units:,} of {row.units('full'):,} {row.module.UNIT}" + (f", {skipped:,} skipped" if skipped else ""),
        "–" if not shards else "yes" if not broken else f"**no** ({broken} shard{'s' if broken > 1 else ''})",
        f"{sum(not result['broken'] and not result['skipped'] for result in controls)} of {len(row.controls('full'))}",
        figures(shards), words(result["seed"] for result in found), words(result["commit"] for result in found),
        duration(sum(result["seconds"] for result in found))]
    return "| " + " | ".join(cells) + " |"


def figures(shards):
    total = {}
    for result in shards:
        for name, value in result["figures"].items():
            if name.startswith("worst_"):
                total[name] = max(total.get(name, value), value)
            else:
                total[name] = total.get(name, 0) + value
    return ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in total.items()) or "–"


def words(values):
    return " ".join(sorted({str(value) for value in values})) or "–"


def duration(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
