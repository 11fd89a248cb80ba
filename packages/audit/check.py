#!/usr/bin/env python3
"""Checks an export of Safelight's log, or the proof of a task, without a database, a service or any code of Safelight.

    python3 check.py log.jsonl
    python3 check.py log.jsonl --key media.example/log+5b731d83+AY6jDV…
    python3 check.py proof.json --key media.example/log+5b731d83+AY6jDV…

With the log's public key it proves that whoever holds the secret one has signed exactly these events.
It follows FORMAT.md of this folder and nothing else. Each fault is printed with its line, task and version.
Ends with 0: everything was judged and nothing is wrong; 1: something is wrong; 2: something could not be judged.
"""
import base64
import hashlib
import json
import re
import sys
from collections import defaultdict
from datetime import datetime, timezone

# "What may follow what": by state and event, the next state.
NEXT = {
    ("nothing", "submitted"): "queued",
    ("queued", "dispatched"): "dispatching",
    ("doubtful", "dispatched"): "dispatching",
    ("dispatching", "accepted"): "running",
    ("doubtful", "accepted"): "running",
    ("dispatching", "doubted"): "doubtful",
    ("running", "progressed"): "running",
    ("succeeded", "held"): "succeeded",
    ("succeeded", "expired"): "expired",
}
for state in ("dispatching", "doubtful", "running"):
    NEXT[state, "deferred"] = "queued"
    NEXT[state, "succeeded"] = "succeeded"
for state in ("queued", "dispatching", "doubtful", "running"):
    NEXT[state, "failed"] = "failed"

NEWEST = {"submitted": 2, "dispatched": 2, "accepted": 2, "deferred": 2, "succeeded": 3, "failed": 3}
# "What is sealed": by type, from which schema on, and the members.
SEALED = {
    "dispatched": (2, {"lease", "sendBefore", "upstreamKey"}),
    "accepted": (2, {"operation"}),
    "deferred": (2, {"cost"}),
    "succeeded": (3, {"cost", "locators"}),
    "failed": (3, {"cost"}),
}
SALT = re.compile("[A-Za-z0-9_-]{22,64}")
COUNTED = {"account": "accounts", "key": "keys", "link-key": "linkKeys", "definition": "definitions"}


def say(line):
    """What stands in a file may be anything, and must not steer a terminal."""
    print("".join(character if character.isprintable() else " " for character in line))


class Findings:
    def __init__(self):
        self.wrong = 0
        self.unjudged = 0

    def fault(self, place, words):
        self.wrong += 1
        say(f"{place}: {words}")

    def cannot_tell(self, place, words):
        self.unjudged += 1
        say(f"{place}: can't be judged: {words}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def unique(pairs):
    """An object that names a member twice has two meanings."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def not_whole(text):
    raise OverflowError(f"{text} is not whole")


class NotWhole:
    """A number whose canonical text is not judged here."""

    def __init__(self, text):
        pass


def no_number(text):
    raise ValueError(f"{text} is no JSON")


READ = json.JSONDecoder(object_pairs_hook=unique, parse_float=not_whole, parse_constant=no_number).decode
READ_TEXT = json.JSONDecoder(object_pairs_hook=unique, parse_float=NotWhole, parse_constant=no_number).decode
WRITE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(value):
    """RFC 8785, for values whose numbers are whole."""
    text = WRITE(value)
    # Members stand in the order of their UTF-16 code units, which is another one beyond U+FFFF alone.
    return text if max(text) <= "\uffff" else write_sorted(value)


def write_sorted(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{WRITE(name)}:{write_sorted(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write_sorted, value)) + "]"
    return WRITE(value)


def read_text(text, place, findings):
    """What one of an event's two texts says; None if it is no JSON."""
    try:
        value = READ_TEXT(text)
        if canonical(value) != text:
            findings.fault(place, "its data is not canonical JSON")
        return value
    except TypeError:
        return value  # Only what a provider wrote may hold numbers that are not whole.
    except ValueError as error:
        findings.fault(place, f"its data is no JSON: {error}")
        return None


def unite(event, data, sealed):
    """The data with what is sealed of it. Raises a ValueError if the two are not as they are sealed."""
    since, names = SEALED.get(event["type"], (99, set()))
    if event["schema"] < since:
        if sealed is not None:
            raise ValueError("it has a sealed text, and nothing to seal")
        return data
    if sealed is None:
        raise ValueError("its sealed text is missing")
    hidden = {name: value for name, value in sealed.items() if name != "salt"}
    if not SALT.fullmatch(sealed["salt"]):
        raise ValueError("its salt is too short")
    if names & data.keys():
        raise ValueError("what should be sealed is shown")
    if event["type"] == "deferred":
        told = hidden.get("reason", data["reason"])
        if ("reason" in hidden) != (told == "provider_out_of_money"):
            raise ValueError("the reason is sealed without need, or shown")
        if "reason" in hidden and data["reason"] != "provider_unavailable":
            raise ValueError("another reason is told")
        names = names | ({"reason"} & hidden.keys())
    if hidden.keys() != names:
        raise ValueError("other members are sealed than should be")
    if event["type"] == "succeeded":
        if len(hidden["locators"]) != len(data["artifacts"]) or any("locator" in a for a in data["artifacts"]):
            raise ValueError("not each artifact has one locator, sealed")
    return {**data, **hidden}


def follow(task, event, data):
    """Applies a legal event to the task; returns what is wrong with it, if anything."""
    kind = event["type"]
    following = NEXT.get((task["state"], kind))
    if following is None:
        return f"{kind} can't follow here: the task is {task['state']}"
    if kind == "submitted":
        task.update(account=data["account"], submitted=data)
    elif kind == "dispatched":
        if data["attempt"] != task["attempt"] + 1:
            return f"attempt {data['attempt']} follows attempt {task['attempt']}"
        call = (data["channel"], data["upstreamKey"])
        if task["state"] == "doubtful" and call != task["call"]:
            return "a call that is in doubt is repeated at another channel, or under another key"
        task.update(attempt=data["attempt"], call=call, progress=max(task["progress"], 1))
    elif kind == "progressed":
        if not task["progress"] < data["progress"] < 100:
            return f"progress {data['progress']} follows {task['progress']}"
        task["progress"] = data["progress"]
    elif kind in ("succeeded", "failed"):
        task.update(charge=data["chargeMicros"], usage=data["usage"], ended=event["at"])
    elif kind == "held":
        shorter = [a for a in task["artifacts"] if event["at"] < a["expiresAt"] < data["until"]]
        if not shorter:
            return "a hold that keeps nothing longer"
        for artifact in shorter:
            artifact["expiresAt"] = data["until"]
    if kind == "succeeded":
        task["artifacts"] = data["artifacts"]
    task["state"] = following
    return None


def check_stream(record, findings, is_shown=False):
    """The task as its events make it. Shown to an account, of what is sealed there is its digest alone."""
    task = {"id": record["task"], "state": "nothing", "attempt": 0, "progress": 0, "charge": 0, "usage": None}
    previous, version, at = "0" * 64, 0, 0
    if not record["events"]:
        findings.fault(f"task {record['task']}", "it has no events")
    for event in record["events"]:
        place = f"task {record['task']}, version {event['version']}"
        if event["version"] != version + 1:
            findings.fault(place, f"version {version + 1} is missing")
        if event["at"] < at:
            findings.fault(place, "its moment is before that of the event before")
        sealed = event.get("sealed")
        digest = "" if sealed is None else '"sealed":"%s",' % (sealed if is_shown else sha256(sealed.encode()))
        text = '{"at":%d,"data":%s,"schema":%d,%s"task":%s,"type":%s,"version":%d}' % (
            event["at"], event["data"], event["schema"], digest,
            WRITE(record["task"]), WRITE(event["type"]), event["version"],
        )
        found = sha256(b"safelight:event:1\n" + bytes.fromhex(previous) + text.encode())
        if found != event["hash"]:
            findings.fault(place, f"its hash is {event['hash']}, and should be {found}")
        previous, version, at = event["hash"], event["version"], event["at"]
        data = read_text(event["data"], place, findings)
        hidden = None if sealed is None or is_shown else read_text(sealed, place, findings)
        if data is None or (hidden is None and sealed is not None and not is_shown):
            continue
        if event["schema"] > NEWEST.get(event["type"], 1):
            findings.cannot_tell(place, f"schema {event['schema']} of {event['type']} is newer than this program")
            continue
        if is_shown:
            task["state"], before = NEXT.get((task["state"], event["type"])), task["state"]
            if task["state"] is None:
                findings.fault(place, f"{event['type']} can't follow here: the task is {before}")
            continue
        try:
            words = follow(task, event, unite(event, data, hidden))
        except ValueError as error:
            words = str(error)
        except (AttributeError, KeyError, TypeError) as error:
            words = f"its data is not that of {event['type']}: {error!r}"
        if words is not None:
            findings.fault(place, words)
    request = next((each for each in record["inputs"] if each["name"] == "request"), None)
    if request is not None and "submitted" in task:
        found = sha256(bytes.fromhex(request["salt"]) + request["body"].encode())
        if found != task["submitted"]["commitment"]:
            findings.fault(f"task {record['task']}", "its request is not the one that it is committed to")
    return task


# Ed25519, RFC 8032 §5.1: the curve -x² + y² = 1 + d x² y² modulo P, with points as (x, y).
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    part = D * x1 * x2 * y1 * y2 % P
    return (x1 * y2 + x2 * y1) * pow(1 + part, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - part, -1, P) % P


def multiply(point, times):
    result = (0, 1)
    while times > 0:
        if times & 1:
            result = add(result, point)
        point, times = add(point, point), times >> 1
    return result


def to_point(encoded):
    y, sign = int.from_bytes(encoded, "little") & (2**255 - 1), encoded[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * ROOT % P
    if y >= P or (x * x - square) % P != 0 or (x == 0 and sign):
        raise ValueError("it is no point of the curve")
    return (x if x & 1 == sign else P - x), y


BASE = to_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(public, message, signature):
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or len(public) != 32 or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    try:
        return multiply(BASE, s) == add(to_point(signature[:32]), multiply(to_point(public), k))
    except ValueError:
        return False


def open_checkpoint(note, key):
    """The size and the root that the key has signed. Raises a ValueError for anything else."""
    name, key_id, encoded = key.split("+", 2)
    raw = base64.b64decode(encoded, validate=True)
    if len(raw) != 33 or raw[0] != 1 or sha256(name.encode() + b"\n" + raw)[:8] != key_id:
        raise ValueError("the key is no public key of a log")
    text, gap, signatures = note.rpartition("\n\n")
    text += "\n"
    signed = [line.split(" ") for line in signatures.splitlines()] if gap else []
    made = [base64.b64decode(parts[2], validate=True) for parts in signed if parts[:2] == ["\u2014", name]]
    own = [each[4:] for each in made if each[:4].hex() == key_id]
    if not own or not all(is_signed(raw[1:], text.encode(), each) for each in own):
        raise ValueError("the key has not signed the checkpoint")
    origin, size, root, *_ = text.split("\n")
    if origin != name or str(int(size)) != size:
        raise ValueError("the checkpoint is of another log, or its size is no number")
    return int(size), base64.b64decode(root, validate=True)


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A signed tree (RFC 9162 §2.1), and what was found of its leaves."""

    def __init__(self, note, key):
        self.size, self.root = open_checkpoint(note, key)
        self.nodes, self.selection = {}, False

    def add(self, index, leaf):
        """Leaves come in any order: neighbours become one hash as soon as both are there."""
        level = 0
        while (level, index ^ 1) in self.nodes:
            other = self.nodes.pop((level, index ^ 1))
            leaf = node(other, leaf) if index & 1 else node(leaf, other)
            level, index = level + 1, index >> 1
        self.nodes[level, index] = leaf

    def is_whole(self):
        places = [(bit, (self.size >> bit) - 1) for bit in range(self.size.bit_length()) if self.size >> bit & 1]
        if sorted(self.nodes) != places:
            return False
        root = None
        for place in places:
            root = self.nodes[place] if root is None else node(self.nodes[place], root)
        return (root or hashlib.sha256().digest()) == self.root

    def includes(self, index, leaf, proof):
        """RFC 9162 §2.1.3.2."""
        place, last, found = index, self.size - 1, leaf
        if not 0 <= index < self.size:
            return False
        for sibling in proof:
            if last == 0:
                return False
            if place & 1 or place == last:
                found = node(sibling, found)
                while not place & 1 and place:
                    place, last = place >> 1, last >> 1
            else:
                found = node(found, sibling)
            place, last = place >> 1, last >> 1
        return last == 0 and found == self.root

    def check(self, record, findings):
        """Each event has its leaf, and those of a task stand in their order."""
        leaves, proofs, before = record.get("leaves", []), record.get("proofs", []), -1
        for place, event in enumerate(record["events"]):
            where = f"task {record['task']}, version {event['version']}"
            if place >= len(leaves):
                findings.fault(where, "it has no leaf in the signed tree")
                continue
            entry = '{"hash":"%s","task":%s,"version":%d}' % (event["hash"], WRITE(record["task"]), event["version"])
            leaf, index = hashlib.sha256(b"\x00safelight:entry:1\n" + entry.encode()).digest(), leaves[place]
            if index <= before or index >= self.size:
                findings.fault(where, f"its leaf can't be {index}")
            elif not self.selection:
                self.add(index, leaf)
            else:
                proof = [base64.b64decode(text, validate=True) for text in (proofs[place] if place < len(proofs) else [])]
                if not self.includes(index, leaf, proof):
                    findings.fault(where, f"its proof does not lead to leaf {index} of the signed tree")
            before = index


def millionths(factor):
    whole, _, decimals = factor.partition(".")
    return int(whole + decimals.ljust(6, "0"))


def to_charge(usage, price, parameters):
    """In micro-units, rounded up once; None if the price has no factor for a parameter's value."""
    main, *others = usage["inputVideosMs"] or [0]
    billed_input = min(max(main, 4000) + sum(others), 30_000) if usage["inputVideosMs"] else 0
    amount = 1000 * usage["images"] * price.get("perImageMicros", 0)
    amount += 1000 * price.get("perRequestMicros", 0)
    amount += (usage["outputVideoMs"] + billed_input) * price.get("perVideoSecondMicros", 0)
    amount += usage.get("outputAudioMs", 0) * price.get("perAudioSecondMicros", 0)
    amount += usage.get("characters", 0) * price.get("perThousandCharactersMicros", 0)
    amount += usage.get("tokens", 0) * price.get("perThousandTokensMicros", 0)
    parts = 1000
    for parameter, factors in price.get("factors", {}).items():
        value = parameters.get(parameter)
        name = value if isinstance(value, str) else json.dumps(value)
        factor = factors.get(name) if parameter in parameters else None
        factor = factors.get("*") if factor is None else factor
        if factor is None:
            return None
        amount, parts = amount * millionths(factor), parts * 1_000_000
    return min(-(-amount // parts), 10_000_000_000_000)


def check_charge(task, prices, findings):
    place, submitted, charge = f"task {task['id']}", task["submitted"], task["charge"]
    if task["usage"] is None:
        if charge != 0:
            findings.fault(place, f"it used nothing and costs {charge}")
        return
    price = prices.get((submitted["model"], submitted["priceVersion"]))
    if price is None:
        findings.cannot_tell(place, f"the file has no price {submitted['priceVersion']} of {submitted['model']}")
        return
    full = to_charge(task["usage"], price, submitted["parameters"])
    if full is not None and charge in (full, min(full, submitted["reservationMicros"])):
        return
    words = f"it costs {charge}, and by its price {full}, of which {submitted['reservationMicros']} were reserved"
    # A model that is a program may have an arithmetic of its own.
    (findings.fault if "definition" in submitted else findings.cannot_tell)(place, words)


def check_definition(definition, prices, findings):
    place, body = f"definition {definition['digest']}", definition["body"]
    if sha256(body.encode()) != definition["digest"]:
        findings.fault(place, "it is not what its digest says")
    elif definition["kind"] == "price":
        kept = READ(body)
        digits = sha256(canonical(kept["price"]).encode())[:8]
        if not kept["priceVersion"].endswith(f"#{digits}"):
            findings.fault(place, f"it is not the price that {kept['priceVersion']} names")
        prices[kept["model"], kept["priceVersion"]] = kept["price"]


def check(lines, key, findings):
    tree, selection = None, False
    counts, prices, definitions, billed = defaultdict(int), {}, set(), []
    bills, digest, last, number = defaultdict(int), hashlib.sha256(), None, 0
    for number, line in enumerate(lines, 1):
        if last is not None:
            digest.update(last[0])
        record = READ(line.decode())
        last, kind = (line, record), record["kind"]
        if (kind == "header") != (number == 1):
            findings.fault(f"line {number}", "a header is the first line and no other")
        if kind == "header":
            selection = "selection" in record
        elif kind == "checkpoint" and key is not None:
            tree = Tree(record["note"], key)
            tree.selection = selection
        elif kind == "stream":
            task = check_stream(record, findings)
            if tree is not None:
                tree.check(record, findings)
            counts["streams"] += 1
            counts["events"] += len(record["events"])
            counts["inputs"] += len(record["inputs"])
            if "ended" in task and "submitted" in task:
                month = datetime.fromtimestamp(task["ended"] / 1000, timezone.utc).strftime("%Y-%m")
                bills[task["account"], month] += task["charge"]
                billed.append({name: task[name] for name in ("id", "submitted", "charge", "usage")})
        elif kind == "definition":
            definitions.add(record["definition"]["digest"])
            check_definition(record["definition"], prices, findings)
        if kind in COUNTED:
            counts[COUNTED[kind]] += 1
    trailer = last[1] if last else {}
    if trailer.get("kind") != "trailer":
        findings.fault(f"line {number}", "the file ends without its trailer: something was cut off")
    else:
        if trailer["sha256"] != digest.hexdigest():
            findings.fault(f"line {number}", "the SHA-256 of the lines before is another one")
        for name in {*counts, *trailer} - {"kind", "sha256"}:
            if counts[name] != trailer.get(name, 0):
                findings.fault(f"line {number}", f"the file has {counts[name]} {name}, not {trailer.get(name, 0)}")
    if tree is not None and not selection and not tree.is_whole():
        findings.fault("the log", f"its events are not the {tree.size} that were signed")
    if key is not None and tree is None:
        findings.cannot_tell("the log", "the file has no checkpoint")
    for task in billed:
        check_charge(task, prices, findings)
        named = task["submitted"].get("definition")
        if named is not None and named not in definitions:
            findings.cannot_tell(f"task {task['id']}", f"the file has no definition {named}")
    return counts, bills


def check_proof(document, key, findings):
    """The proof of one task: its events with their leaves, under a checkpoint. Prices are not in it."""
    counts, events = defaultdict(int), document["events"]
    record = {"task": document["task"], "events": events, "inputs": []}
    record.update(leaves=[event["index"] for event in events], proofs=[event["proof"] for event in events])
    check_stream(record, findings, is_shown=True)
    if key is None:
        findings.cannot_tell("the proof", "who made it: --key names the log's public key")
    else:
        tree = Tree(document["checkpoint"], key)
        tree.selection = True
        tree.check(record, findings)
    counts.update(streams=1, events=len(events))
    return counts, {}


def read_proof(path):
    """The document, or None if the file is something else: a log has many lines, each an object."""
    with open(path, "rb") as file:
        if b'"safelight-proof"' not in file.read(256):
            return None
        file.seek(0)
        return READ(file.read().decode())


def main(path, key=None):
    findings = Findings()
    try:
        proof = read_proof(path)
        if proof is not None:
            counts, bills = check_proof(proof, key, findings)
        else:
            with open(path, "rb") as file:
                counts, bills = check(file, key, findings)
    except OSError as error:
        say(f"the file can't be read: {error}")
        return 2
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        say(f"the file can't be read on: {error!r}")
        return 1
    for (account, month), micros in sorted(bills.items()):
        say(f"bill of {account} for {month}: {micros} micro-units")
    outcome = "whole" if not findings.wrong and not findings.unjudged else "could not tell"
    if findings.wrong:
        outcome = f"wrong, with {findings.wrong} faults"
    say(f"{outcome}: {counts['streams']} tasks, {counts['events']} events")
    return 1 if findings.wrong else 2 if findings.unjudged else 0


if __name__ == "__main__":
    path, *more = sys.argv[1:] or [None]
    if path is None or more[:1] not in ([], ["--key"]) or len(more) not in (0, 2):
        sys.exit(__doc__)
    sys.exit(main(path, *more[1:]))
