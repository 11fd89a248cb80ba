/** HTTP decisions §3: tasks as they are answered, and what their states may be. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  answers,
  artifactLinks,
  commandServe,
  decide,
  errors,
  follow,
  list,
  machine,
  models,
  serverLimits,
  studio,
  submission,
  tasks,
} from "./test-files.ts"

const ACCEPTED = "tasks > accepts a task with 202, its address and the queued task"
const LISTED = "tasks > lists artifacts, expired ones too, under the configured address"
const SHOWN = [
  "tasks > shows a queued task in the order of the specification",
  "tasks > shows a running task in the order of the specification",
  "tasks > shows a succeeded task in the order of the specification",
  "tasks > shows a failed task in the order of the specification",
]

const FAILURES = [
  "content_policy_violation as content_policy_error",
  "safety_checker_required as content_policy_error",
  "media_download_failed as invalid_request_error",
  "media_too_large as invalid_request_error",
  "media_too_small as invalid_request_error",
  "unsupported_media_type as invalid_request_error",
  "media_unreadable as invalid_request_error",
  "provider_rejected as generation_error",
  "provider_unavailable as generation_error",
  "generation_timeout as generation_error",
  "no_output as generation_error",
  "upstream_outcome_unknown as generation_error",
  "task_cancelled as generation_error",
  "internal_error as generation_error",
].map((failure) => `a failed task > says ${failure}`)

export const TASKS: ConformanceSection = {
  document: "HTTP decisions",
  section: "§3",
  title: "Tasks",
  rows: [
    { row: "POST answers 202 with a relative `Location`", tests: tasks(ACCEPTED) },
    {
      row: "A 202 says queued, or already succeeded, and nothing between",
      tests: submission(
        "a submission > is answered with the finished task where the channel answers at once",
        "a submission > is answered as queued where an immediate answer fails or takes longer than the grace",
      ),
    },
    {
      row: "GET and HEAD are 200",
      tests: [
        ...tasks(...SHOWN),
        ...answers("HEAD > is GET without the body where the answer is 200: a task"),
      ],
    },
    {
      row: "GET of an unfinished task adds `Retry-After: 2`",
      tests: tasks(...SHOWN),
    },
    {
      row: "Timestamps are whole seconds, floored",
      tests: tasks("tasks > shows a succeeded task in the order of the specification", LISTED),
    },
    {
      row: "`content_url` is built from the configured public URL, never from a Host header",
      tests: [
        ...tasks(LISTED),
        ...artifactLinks(
          "a new link > is 201 with its address, built from the public URL, and its end",
        ),
        ...commandServe("listening > content_url begins with the public URL"),
      ],
    },
    {
      row: "By default that is the listening address",
      tests: models("text to image > is a PNG of the size asked for"),
    },
    {
      row: "An embedded handler must be given one",
      tests: serverLimits("an embedded handler > must be told its public address"),
    },
    {
      row: "`GET /v1/tasks` lists the account's own tasks, newest first, as `{tasks, next_cursor}`",
      tests: list(
        "the list of tasks > shows each task as its own address does, newest first",
        "the list of tasks > goes on behind a cursor to a last page without one",
      ),
    },
    {
      row: "It takes `created_after`, `created_before`, `status`, `model`, `limit` and `cursor`",
      tests: list(
        "a query > asks for all that it names, moments in whole seconds",
        "a query > without parameters asks for the caller's twenty newest tasks",
      ),
    },
    {
      row: "Public statuses: `queued`, `running`, `succeeded`, `failed`, and no others",
      tests: [
        ...list("a query > status=done is refused as invalid_value"),
        ...machine(
          "the machine > takes in every state exactly the events of the design, and leads where it says",
          "a stream > never lets progress or the public status fall, nor changes what is terminal but an expiry",
        ),
      ],
    },
    {
      row: "A cancelled task is `failed` with code `task_cancelled`",
      tests: [
        ...studio(
          "worker processes > cancel stops a rendering under way, and the next one is carried out",
        ),
        ...answers("a failed task > says task_cancelled as generation_error"),
      ],
    },
    {
      row: "Terminal never changes",
      tests: machine(
        "a stream > never lets progress or the public status fall, nor changes what is terminal but an expiry",
        "a stream > has at most one end, and nothing but holds and one expiry after it",
      ),
    },
    {
      row: "`progress` is 0 while queued, 1–99 while running, 100 exactly when succeeded",
      tests: machine(
        "a stream > shows progress 0 while queued, 1 to 99 while running, 100 only when succeeded",
      ),
    },
    {
      row: "`progress` never falls, and is frozen when failed",
      tests: [
        ...machine(
          "the machine > takes progress only beyond what it has",
          "a stream > never lets progress or the public status fall, nor changes what is terminal but an expiry",
        ),
        ...follow(
          "a running task > records progress in steps, never falling and never 100 before the end",
        ),
      ],
    },
    {
      row: "`finished_at` is at least `created_at`, and set with the terminal status",
      tests: [
        ...decide(
          "a decision > never dates an event before the one before it, however the clock jumps",
        ),
        ...tasks(...SHOWN),
      ],
    },
    {
      row: "`succeeded` is written only after every artifact is durable",
      tests: follow(
        "a completed operation > succeeds only with every artifact stored, measured, priced and given an expiry",
        "a completed operation > is asked for again where its artifacts could not be stored, and leaves no orphan",
      ),
    },
    {
      row: "A failed task's `error` is the object of an HTTP error, of three types and these codes",
      tests: answers(
        "the codes of failed tasks > are those that the decisions list, and no others",
        ...FAILURES,
      ),
    },
    {
      row: "Artifact keys are `image_1`, `image_2`, … in order, and `video`",
      tests: models(
        "image edit > makes as many different variations as asked for, in the format and shape asked for",
        "reference to video > is H.264 with AAC in a seekable MP4 of the length asked for",
      ),
    },
    {
      row: "Expired artifacts stay listed, their `expires_at` in the past",
      tests: tasks(LISTED),
    },
    {
      row: "Content is gone when `now >= expires_at`, whether or not a sweep ran",
      tests: errors(
        "errors > answers 410 artifact_expired where the artifact expires this very millisecond",
      ),
    },
  ],
}
