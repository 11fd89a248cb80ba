"""Makes a picture from Python, by a client that was generated from the service's own document, /openapi.json.

    SAFELIGHT_URL=http://127.0.0.1:8080 SAFELIGHT_API_KEY=… python make_picture.py ORDER PROMPT FILE

`safelight_api` is what OpenAPI Generator makes of the document: `generate -g python --package-name safelight_api`.
ORDER is your own name for the picture. It is the idempotency key: the program can be run again after any failure, and
what was bought is not bought twice.
"""

import base64
import hashlib
import json
import os
import sys

import safelight_api
from safelight_api.rest import ApiException

URL = os.environ.get("SAFELIGHT_URL", "http://127.0.0.1:8080")
MODEL = "vendor-a/v4.1/flash/text-to-image"

# A request that gets no answer in this time is given up.
PATIENCE = {"_request_timeout": 60}


def make(client, order, prompt):
    tasks = safelight_api.TasksApi(client)
    creation = {"model": MODEL, "parameters": {"prompt": prompt}}
    task = tasks.create_task(creation, idempotency_key=order, **PATIENCE)
    while task.status not in ("succeeded", "failed"):
        # The service answers at the task's end, or after 25 seconds.
        task = tasks.get_task(task.task_id, prefer="wait=25", **PATIENCE)
    if task.status == "failed":
        sys.exit(f"{task.error.code}: {task.error.message}")
    return task


def read(client, task):
    artifacts = safelight_api.ArtifactsApi(client)
    first = artifacts.list_artifacts(task.task_id, **PATIENCE).artifacts[0]
    # As it came: a generated client takes an answer for a text.
    answer = artifacts.get_artifact_content(
        task.task_id, first.key, _preload_content=False, **PATIENCE
    )
    digest = base64.b64encode(hashlib.sha256(answer.data).digest()).decode()
    if answer.headers["Repr-Digest"] != f"sha-256=:{digest}:":
        sys.exit("the picture is not whole")
    return answer.data


def main(order, prompt, file):
    configuration = safelight_api.Configuration(host=URL)
    configuration.access_token = os.environ["SAFELIGHT_API_KEY"]
    with safelight_api.ApiClient(configuration) as client:
        try:
            task = make(client, order, prompt)
            picture = read(client, task)
        except ApiException as refusal:
            error = json.loads(refusal.body)["error"]
            sys.exit(f"{refusal.status} {error['code']}: {error['message']}")
    with open(file, "wb") as opened:
        opened.write(picture)
    print(task.task_id)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
