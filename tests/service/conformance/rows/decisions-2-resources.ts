/** HTTP decisions §2: the table of cases that depend on what there is, in its order. */
import type { ConformanceRow } from "../conformance-row.ts"
import {
  answers,
  artifactLinks,
  errors,
  failingStorage,
  idempotency,
  limits,
  links,
  linkAnswers,
  nodeServer,
  tasks,
} from "./test-files.ts"

/** By the name of the error row: `404 route_not_found where …`. */
function answered(...names: readonly string[]): ConformanceRow["tests"] {
  return errors(...names.map((name) => `errors > answers ${name}`))
}

export const RESOURCE_ERRORS: readonly ConformanceRow[] = [
  {
    row: "Task unknown, id malformed, another account's task: 404 `task_not_found`, byte-identical",
    tests: errors(
      "the error table > refuses another account's task and a malformed id with the bytes of an unknown one",
    ),
  },
  {
    row: "Artifacts or content of an unfinished task: 409 `task_not_finished`, `Retry-After: 2`",
    tests: [
      ...answered("409 task_not_finished where the task is unfinished"),
      ...tasks(
        "the order of checks > looks for the task, its end, the key, the expiry, then the preconditions",
      ),
    ],
  },
  {
    row: "Artifacts of a failed task: 200 with an empty list, final",
    tests: tasks("tasks > lists no artifacts of a failed task"),
  },
  {
    row: "Unknown artifact key: 404 `artifact_not_found`",
    tests: answered(
      "404 artifact_not_found where the artifact is unknown, though an earlier one has expired",
    ),
  },
  {
    row: "Expired or permanently gone, by API key: 410 `artifact_expired`",
    tests: answered(
      "410 artifact_expired where the artifact expires this very millisecond",
      "410 artifact_expired where the artifact has expired and its bytes are gone",
    ),
  },
  {
    row: "Storage fails for now: 503 `storage_unavailable`, `Retry-After`, never 410",
    tests: [
      ...answered(
        "503 storage_unavailable where the artifact storage fails",
        "503 storage_unavailable where the artifact's bytes are missing before its time",
      ),
      ...failingStorage(
        "answers 503 while artifacts can't be read, and gives them whole afterwards",
      ),
    ],
  },
  {
    row: "Anything unavailable through an `access` link: 404 `not_found`, one identical body",
    tests: [
      ...answered("404 not_found where a private link opens nothing"),
      ...links(
        "a private link > opens nothing with another MAC, like all others, a good key beside it or not",
        "a private link > opens nothing with an end that has come, like all others, a good key beside it or not",
        "a private link > opens nothing with an epoch before it counts, like all others, a good key beside it or not",
        "a private link > opens nothing with an unknown task, like all others, a good key beside it or not",
      ),
    ],
  },
  {
    row: "If-Match or If-Unmodified-Since false: 412 `precondition_failed`",
    tests: answered("412 precondition_failed where If-Match names another"),
  },
  {
    row: "Unsatisfiable range: 416 `range_not_satisfiable`, `Content-Range: bytes */N`",
    tests: answered("416 range_not_satisfiable where the range lies past the end"),
  },
]

export const LIMIT_ERRORS: readonly ConformanceRow[] = [
  {
    row: "Malformed Idempotency-Key: 400 `invalid_idempotency_key`",
    tests: [
      ...answered("400 invalid_idempotency_key where the Idempotency-Key is empty"),
      ...idempotency(
        "an idempotency key on the wire > may stand there once, whatever the second one says",
      ),
    ],
  },
  {
    row: "Same key, other payload: 422 `idempotency_key_reused`",
    tests: answered(
      "422 idempotency_key_reused where the Idempotency-Key stands for another request",
    ),
  },
  {
    row: "Same key in flight: 409 `idempotency_key_in_use`, `Retry-After: 1`",
    tests: answered(
      "409 idempotency_key_in_use where a request with the Idempotency-Key is under way",
    ),
  },
  {
    row: "Request rate: 429 `rate_limit_exceeded`, `Retry-After`, `RateLimit`, `RateLimit-Policy`",
    tests: [
      ...answered("429 rate_limit_exceeded where the account's rate is used up"),
      ...limits("a rate > refuses with 429 and the seconds to wait, and lets through after them"),
    ],
  },
  {
    row: "Too many unfinished tasks: 429 `concurrency_limit_exceeded`, `Retry-After`",
    tests: answered(
      "429 concurrency_limit_exceeded where the account has as many unfinished tasks as it may",
    ),
  },
  {
    row: "Queue full, load shed: 503 `overloaded`, `Retry-After` 1–30, jittered",
    tests: [
      ...answered("503 overloaded where the engine sheds load"),
      ...answers(
        "shed load > is asked to come back in 1 to 30 seconds, each caller at another time",
      ),
      ...nodeServer(
        "the Node server > refuses bodies past what it may hold at once, and takes them again later",
      ),
    ],
  },
  {
    row: "Database down: 503 `service_unavailable`",
    tests: [
      ...answered("503 service_unavailable where the database fails"),
      ...failingStorage(
        "answers 503 while the database is down, keys included, and serves when it is back",
      ),
      ...linkAnswers(
        "an answer through a link > is 503 while a storage is down, whichever it is, and opens afterwards",
      ),
      ...artifactLinks("a new link > is 503 while a storage is down"),
    ],
  },
  {
    row: "A bug: 500 `internal_error`, request id only",
    tests: [
      ...answered("500 internal_error where there is a bug"),
      ...errors(
        "the error table > logs a bug with its stack and request id, and tells the caller the id alone",
      ),
    ],
  },
  {
    row: "Commit outcome unknown: 503 `outcome_unknown`, `x-should-retry: false` unless a key was sent",
    tests: [
      ...answered("503 outcome_unknown where nobody knows whether the task was stored"),
      ...idempotency(
        "a creation whose outcome is unknown > may be repeated with its key, and not without one",
      ),
    ],
  },
]
