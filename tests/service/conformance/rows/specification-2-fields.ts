/** Specification §2.1 to §2.3: tasks, artifacts and the creation request, field by field. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  answers,
  artifactLinks,
  errors,
  generatedRequests,
  machine,
  models,
  parameters,
  requests,
  retention,
  tasks,
} from "./test-files.ts"

const QUEUED = "tasks > shows a queued task in the order of the specification"
const RUNNING = "tasks > shows a running task in the order of the specification"
const SUCCEEDED = "tasks > shows a succeeded task in the order of the specification"
const FAILED = "tasks > shows a failed task in the order of the specification"
const LISTED = "tasks > lists artifacts, expired ones too, under the configured address"

const TASK: ConformanceSection = {
  document: "Specification",
  section: "§2.1",
  title: "Task",
  rows: [
    { row: "`task_id`: a string, the task's identifier", tests: tasks(QUEUED) },
    {
      row: "`model`: the public model id the task was created with",
      tests: tasks(QUEUED, "tasks > accepts a task with 202, its address and the queued task"),
    },
    { row: "`status`: one of section 3", tests: tasks(QUEUED, RUNNING, SUCCEEDED, FAILED) },
    {
      row: "`progress`: an integer, 0 on submission and 100 on a succeeded task",
      tests: [
        ...tasks(QUEUED, SUCCEEDED),
        ...machine(
          "a stream > shows progress 0 while queued, 1 to 99 while running, 100 only when succeeded",
        ),
      ],
    },
    { row: "`created_at`: an integer, Unix seconds", tests: tasks(QUEUED) },
    {
      row: "`finished_at`: 0 while unfinished, Unix seconds once finished",
      tests: tasks(QUEUED, RUNNING, SUCCEEDED, FAILED),
    },
    { row: "`error`: null, or an object", tests: tasks(SUCCEEDED, FAILED) },
    {
      row: "`links`: `self` and `artifacts`, as paths of this task",
      tests: tasks(QUEUED, SUCCEEDED),
    },
  ],
}

const ARTIFACT: ConformanceSection = {
  document: "Specification",
  section: "§2.2",
  title: "Artifact",
  rows: [
    { row: "A list is `{task_id, artifacts: […]}`", tests: tasks(LISTED) },
    {
      row: "`key`: identifies the artifact in its task, and in the content path",
      tests: [
        ...tasks(LISTED),
        ...errors(
          "errors > answers 404 artifact_not_found where the artifact is unknown, though an earlier one has expired",
        ),
      ],
    },
    {
      row: "Image tasks yield keys of the form `image_<n>`, the video task yields `video`",
      tests: models(
        "image edit > makes as many different variations as asked for, in the format and shape asked for",
        "reference to video > is H.264 with AAC in a seekable MP4 of the length asked for",
      ),
    },
    {
      row: "`type`: `image` or `video`",
      tests: models(
        "text to image > is a PNG of the size asked for",
        "reference to video > is H.264 with AAC in a seekable MP4 of the length asked for",
      ),
    },
    {
      row: "`mime_type`: for example image/png or video/mp4",
      tests: models(
        "text to image > is a PNG of the size asked for",
        "reference to video > is H.264 with AAC in a seekable MP4 of the length asked for",
      ),
    },
    { row: "`content_url`: the absolute address of the content", tests: tasks(LISTED) },
    {
      row: "`content_url` alone opens nothing, unless the account has its addresses signed",
      tests: artifactLinks(
        "a listing > has plain addresses that need the key, and makes no signing key",
        "a listing > has private links where the account's addresses are signed, for a day",
      ),
    },
    {
      row: "Saving `content_url` does not preserve the file",
      tests: artifactLinks(
        "a listing > has links that end with their artifact, and none for what is expired",
      ),
    },
    { row: "`expires_at`: Unix seconds of this file's expiry", tests: tasks(LISTED) },
    {
      row: "It goes by the file, not by the task's creation",
      tests: retention(
        "an artifact > is kept as long as its account says, else as long as the setting does",
        "an artifact > keeps the expiry it got when the account's time changes",
      ),
    },
    {
      row: "Some older results omit `expires_at`; they end all the same",
      tests: artifactLinks(
        "a listing > leaves out an expiry that is hidden, and the content ends all the same",
      ),
    },
  ],
}

const REQUEST: ConformanceSection = {
  document: "Specification",
  section: "§2.3",
  title: "Creation request",
  rows: [
    {
      row: "`model` is required, a string",
      tests: errors("errors > answers 400 missing_required_parameter where the model is missing"),
    },
    {
      row: "`model` is exactly the id of the chosen model",
      tests: answers(
        "a model's id > is unknown in another case",
        "a model's id > is unknown with a space behind it",
        "a model's id > is unknown without its version",
      ),
    },
    {
      row: "`parameters` is required, an object",
      tests: [
        ...requests(
          "a creation > of vendor-c/video-2.5/reference-to-video without parameters is one error",
        ),
        ...errors("errors > answers 400 invalid_type where parameters is null"),
      ],
    },
    {
      row: "Only the fields listed for the model are accepted",
      tests: [
        ...parameters(
          "what vendor-a/v4.1/flash/text-to-image takes for parameters > refuses an unknown member",
          "what vendor-b/imagine-image/v2.0/edit takes for parameters > refuses an unknown member",
          "what vendor-c/video-2.5/reference-to-video takes for parameters > refuses an unknown member",
        ),
        ...generatedRequests(
          "generated requests > are answered in process as the model says, and stored only where they are valid",
        ),
      ],
    },
    {
      row: "A required child makes its parent required only where the parent is: a video task takes `{}`",
      tests: parameters("the parameters of reference to video > accepts none at all"),
    },
  ],
}

export const FIELDS: readonly ConformanceSection[] = [TASK, ARTIFACT, REQUEST]
