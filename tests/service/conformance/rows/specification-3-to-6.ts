/** Specification §3 to §6: states, endpoints, authentication, and how completion is learned. */
import type { ConformanceSection } from "../conformance-row.ts"
import {
  answers,
  artifactLinks,
  content,
  errors,
  linkAnswers,
  links,
  machine,
  models,
  openapi,
  tasks,
  transfers,
} from "./test-files.ts"

const PICTURE = "text to image > is a PNG of the size asked for"

const STATES: ConformanceSection = {
  document: "Specification",
  section: "§3",
  title: "States and transitions",
  rows: [
    {
      row: "`queued`: freshly submitted, progress 0, `finished_at` 0",
      tests: tasks("tasks > shows a queued task in the order of the specification"),
    },
    {
      row: "`succeeded`: terminal, progress 100, `finished_at` set, artifacts can be listed",
      tests: [
        ...tasks("tasks > shows a succeeded task in the order of the specification"),
        ...models(PICTURE),
      ],
    },
    {
      row: "`failed`: terminal",
      tests: [
        ...tasks("tasks > shows a failed task in the order of the specification"),
        ...machine("a stream > has at most one end, and nothing but holds and one expiry after it"),
      ],
    },
    {
      row: "A task may already be `succeeded` when creation returns",
      tests: models("the sandbox > answers a 202 that is already succeeded"),
    },
  ],
}

const ENDPOINTS: ConformanceSection = {
  document: "Specification",
  section: "§4",
  title: "Endpoints",
  rows: [
    {
      row: "All requests carry the authentication header",
      tests: errors("errors > answers 401 missing_api_key where no key is sent"),
    },
    {
      row: "Request bodies exist only for creation",
      tests: artifactLinks("a new link > is refused with a body, which says where expires_in goes"),
    },
    {
      row: "They are JSON, as `application/json`",
      tests: [
        ...tasks("tasks > accepts a task with 202, its address and the queued task"),
        ...errors("errors > answers 415 unsupported_media_type where the body is a form"),
      ],
    },
    {
      row: "1. `POST /v1/tasks`: 202, `Location: /v1/tasks/{task_id}`, and the task",
      tests: tasks("tasks > accepts a task with 202, its address and the queued task"),
    },
    {
      row: "2. `GET /v1/tasks/{task_id}`: the task, polled until it ends",
      tests: [
        ...tasks("tasks > shows a running task in the order of the specification"),
        ...models(PICTURE),
      ],
    },
    {
      row: "3. `GET /v1/tasks/{task_id}/artifacts`: the list, after `succeeded`",
      tests: [
        ...tasks("tasks > lists artifacts, expired ones too, under the configured address"),
        ...errors("errors > answers 409 task_not_finished where the task is unfinished"),
      ],
    },
    {
      row: "4. `GET`, `HEAD` of the content: the binary file",
      tests: [
        ...content("content > sends the whole with every header of the decisions"),
        ...answers("HEAD > is GET without the body where the answer is 200: content"),
      ],
    },
    {
      row: "Range requests of the content are supported",
      tests: content("content > answers bytes=0-499 with 206 0-499"),
    },
    {
      row: "Content must be fetched before the artifact's `expires_at`",
      tests: errors(
        "errors > answers 410 artifact_expired where the artifact expires this very millisecond",
      ),
    },
    {
      row: "`task_id` and `artifact_key` are URL-encoded in the path",
      tests: transfers("an artifact's key > is encoded in the address, and read back from it"),
    },
    {
      row: "There are these paths and methods, and the extensions that the document describes",
      tests: openapi("the document > describes exactly the handler's paths and methods"),
    },
  ],
}

const AUTHENTICATION: ConformanceSection = {
  document: "Specification",
  section: "§5",
  title: "Authentication",
  rows: [
    {
      row: "`Authorization: Bearer <API_KEY>`",
      tests: [
        ...tasks("authentication > takes the scheme in any case"),
        ...errors("errors > answers 401 invalid_api_key where the scheme is Basic"),
      ],
    },
    {
      row: "Content downloads use the same API key",
      tests: links("a private link > leaves what is asked by key as it is"),
    },
    {
      row: "Private access links: content by an `access` query parameter instead",
      tests: [
        ...links("a private link > opens the artifact by GET and HEAD, without a key"),
        ...linkAnswers(
          "an answer through a link > has the headers of content, for every origin, and no longer than the link",
        ),
      ],
    },
  ],
}

const EVENTS: ConformanceSection = {
  document: "Specification",
  section: "§6",
  title: "Events",
  rows: [{ row: "Completion is observed by polling the task", tests: models(PICTURE) }],
}

export const ENDPOINT_SECTIONS: readonly ConformanceSection[] = [
  STATES,
  ENDPOINTS,
  AUTHENTICATION,
  EVENTS,
]
