"""Makes a picture from Python, with `requests` and nothing of ours.

    SAFELIGHT_URL=http://127.0.0.1:8080 SAFELIGHT_API_KEY=… python make_picture.py ORDER PROMPT FILE

ORDER is your own name for it. It is the idempotency key: the program can be run again after any failure, and what
was bought is not bought twice.
"""

import base64
import hashlib
import os
import sys
import time

import requests

URL = os.environ.get("SAFELIGHT_URL", "http://127.0.0.1:8080")
MODEL = "vendor-a/v4.1/flash/text-to-image"

# A request that gets no answer in this time is given up.
PATIENCE_SECONDS = 60
TRIES = 5


def ask(session, method, path, **options):
    """The same request again while its answer is missing or says "later": each of them may be repeated."""
    for tried in range(1, TRIES + 1):
        try:
            answer = session.request(method, URL + path, timeout=PATIENCE_SECONDS, **options)
        except (requests.ConnectionError, requests.Timeout):
            if tried == TRIES:
                raise
            time.sleep(2**tried)
            continue
        is_passing = answer.status_code in (408, 429) or answer.status_code >= 500
        if not is_passing or tried == TRIES:
            break
        time.sleep(float(answer.headers.get("Retry-After", 2**tried)))
    if not answer.ok:
        # The service says what is wrong in words; a proxy before it may not.
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        error = answer.json()["error"] if is_json else {"code": "none", "message": answer.reason}
        sys.exit(f"{answer.status_code} {error['code']}: {error['message']}")
    return answer


def main(order, prompt, file):
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {os.environ['SAFELIGHT_API_KEY']}"
        creation = {"model": MODEL, "parameters": {"prompt": prompt}}
        key = {"Idempotency-Key": order}
        task = ask(session, "POST", "/v1/tasks", json=creation, headers=key).json()
        while task["status"] not in ("succeeded", "failed"):
            # The service answers at the task's end, or after 25 seconds.
            wish = {"Prefer": "wait=25"}
            task = ask(session, "GET", task["links"]["self"], headers=wish).json()
        if task["status"] == "failed":
            sys.exit(f"{task['error']['code']}: {task['error']['message']}")

        artifacts = ask(session, "GET", task["links"]["artifacts"]).json()["artifacts"]
        content = f"{task['links']['artifacts']}/{artifacts[0]['key']}/content"
        picture = ask(session, "GET", content)
        digest = base64.b64encode(hashlib.sha256(picture.content).digest()).decode()
        if picture.headers["Repr-Digest"] != f"sha-256=:{digest}:":
            sys.exit("the picture is not whole")
        with open(file, "wb") as opened:
            opened.write(picture.content)
        print(task["task_id"])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
