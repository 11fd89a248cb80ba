/** Specification §1: what the service does, and what a client may count on. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  commandTasks,
  dispatch,
  engineIdempotency,
  killService,
  list,
  models,
  openapi,
  retention,
  sweep,
  tasks,
  transfers,
} from "./test-files.ts"

export const SERVICE: ConformanceSection = {
  document: "Specification",
  section: "§1",
  title: "What the service does",
  rows: [
    {
      row: "`POST /v1/tasks` submits a task: a model's name and its `parameters`",
      tests: tasks("tasks > accepts a task with 202, its address and the queued task"),
    },
    {
      row: "Image and video models share one task interface",
      tests: models(
        "text to image > is a PNG of the size asked for",
        "image edit > makes as many different variations as asked for, in the format and shape asked for",
        "reference to video > is H.264 with AAC in a seekable MP4 of the length asked for",
      ),
    },
    {
      row: "The client selects a model by its id, the backend channel is chosen for it",
      tests: dispatch(
        "a dispatch > goes to the lowest tier that has a slot, and by load over weight within it",
      ),
    },
    {
      row: "Asynchronous: submitted, polled until it ends, its artifacts listed and downloaded",
      tests: models("text to image > is a PNG of the size asked for"),
    },
    {
      row: "Creation returns the task id after acceptance: what has an id is not lost",
      tests: killService("a service killed under load keeps every task it accepted"),
    },
    {
      row: "A task may be complete when its id is returned",
      tests: models("the sandbox > answers a 202 that is already succeeded"),
    },
    {
      row: "Artifacts are stored for 14 days",
      tests: retention(
        "an artifact > is kept as long as its account says, else as long as the setting does",
      ),
    },
    {
      row: "After that they are unavailable and cannot be recovered",
      tests: [
        ...transfers(
          "a transfer > that began goes on when its artifact expires, and none begins then: whole",
        ),
        ...sweep("a sweep > removes the bytes a day after expiry, once, and then forgets the task"),
      ],
    },
    {
      row: "A timed-out POST must not be sent again by itself: our own client names the request by a key and repeats it under that key alone, others can look first",
      tests: [
        ...commandTasks(
          "submit > a connection that broke off is asked again under the same key, then ends with 4 and names it",
          "submit > an outcome the service does not know is asked again under the same key, then ends with 4 and names it",
        ),
        ...list("the list of tasks > shows each task as its own address does, newest first"),
        ...engineIdempotency(
          "a submission with an idempotency key > that was accepted before is answered with its task as it stands now",
        ),
      ],
    },
    {
      row: "Three models are served, under their ids",
      tests: openapi(
        "the described request > is one of the models' shapes, told apart by the model",
        "the described request > has an example for every model, which its schema and the model take",
      ),
    },
  ],
}
