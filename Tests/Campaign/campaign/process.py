"""Carries out one shard in this process, and prints its result as one line of JSON."""

import json
import os
import signal
import sys
import time
import traceback

from campaign.shard import Broken, Shard, Skipped


def carry_out(part, size, seed):
    # Whatever a row prints must not be taken for the result.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # A job in the background ignores these, and so would the programs that a row starts.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    shard = Shard(part, size, seed)
    begin = time.monotonic()
    broken = None
    try:
        if part.control:
            broken = controlled(part, shard)
        else:
            part.row.module.run(shard)
            if shard.units + shard.skipped < part.count:
                broken = f"only {shard.units} of {part.count} {part.row.module.UNIT} were done"
    except Broken as error:
        broken = str(error)
    except Skipped as reason:
        shard.skip(1, reason)
    except BaseException:
        broken = "the shard did not finish: " + traceback.format_exc()
    finally:
        shard.close()
    print(json.dumps(dict(
        row=part.row.name, variant=part.variant, number=part.number, control=part.control, size=size, seed=seed,
        units=shard.units, skipped=shard.skipped, seconds=round(time.monotonic() - begin, 1), figures=shard.figures, broken=broken)), file=out)
    out.flush()
    sys.stdout.flush()
    os._exit(1 if broken else 0)


def controlled(part, shard):
    """Runs a control, which must find its defect. Returns a sentence if it does not."""
    try:
        getattr(part.row.module, f"control_{part.control}")(shard)
    except Broken as error:
        shard.figures["caught"] = str(error)[:500]
        return None
    return "the control is not caught: the check found no defect"
