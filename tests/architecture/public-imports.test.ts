/**
 * Tests use packages by their public names: what is tested so can be rebuilt inside as one likes. The files
 * listed here look inside still, each for its reason. What a reader would get wrong: an entry that nothing
 * needs any more fails too, so the list only becomes shorter.
 */
import assert from "node:assert/strict"
import { dirname, posix } from "node:path"
import { describe, it } from "node:test"
import { findFiles, findSpecifiers, read } from "./workspaces.ts"

interface Exception {
  readonly reason: string
  readonly folder: string
  /** Modules in the folder. */
  readonly modules: readonly string[]
}

/** By test file, from the folder of all tests. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "adapters/channel-comfyui/progress.test.ts": {
    reason:
      "what a prompt's nodes make of its progress is computed without a server, and no prompt is sent where nobody listens",
    folder: "adapters/channel-comfyui/src",
    modules: ["progress-socket.ts", "prompt-identity.ts", "prompt-progress.ts"],
  },
  "adapters/channel-studio/follow-work.test.ts": {
    reason: "the process that is watched is made up",
    folder: "adapters/channel-studio/src",
    modules: ["follow-work.ts", "rendering-job.ts"],
  },
  "adapters/http/bodies.test.ts": {
    reason: "texts that are put together by hand are compared with their schemas for any task",
    folder: "adapters/http/src",
    modules: ["bodies/task.ts"],
  },
  "adapters/http/endpoint.test.ts": {
    reason: "an endpoint is declared here that the API doesn't have",
    folder: "adapters/http/src",
    modules: [
      "bodies/body.ts",
      "pipeline/endpoint.ts",
      "endpoints/endpoints.ts",
      "request/header-parameters.ts",
      "request/path-parameters.ts",
      "request/query-parameters.ts",
    ],
  },
  "adapters/http/every-call.ts": {
    reason: "the paths of the documentation's files are in their list alone",
    folder: "adapters/http/src",
    modules: ["openapi/docs-files.ts"],
  },
  "adapters/http/openapi.test.ts": {
    reason: "the document is compared with the schemas that it is made of",
    folder: "adapters/http/src",
    modules: ["openapi/docs-files.ts", "openapi/document.ts", "openapi/kept-file.ts"],
  },
  "adapters/http/worlds.ts": {
    reason: "the document is there before the server whose answers are checked against it",
    folder: "adapters/http/src",
    modules: ["openapi/document.ts"],
  },
  "adapters/mcp/models.test.ts": {
    reason: "thousands of models are listed without a service that serves them",
    folder: "adapters/mcp/src",
    modules: ["models/input-schema.ts", "models/media-tools.ts", "tools/tools.ts"],
  },
  "adapters/mcp/spending.test.ts": {
    reason: "what is reserved is compared in every order in which calls may end",
    folder: "adapters/mcp/src",
    modules: ["purchases/call-key.ts", "purchases/spending.ts"],
  },
  "adapters/openai/budget.test.ts": {
    reason: "hundreds of megabytes are counted without an image",
    folder: "adapters/openai/src",
    modules: ["calls/budget.ts"],
  },
  "adapters/storage-postgres/database.test.ts": {
    reason: "the connection that listens is made up",
    folder: "adapters/storage-postgres/src",
    modules: ["notifications.ts"],
  },
  "adapters/storage-postgres/faults.test.ts": {
    reason: "a batch's rows and values are looked at before they are sent",
    folder: "adapters/storage-postgres/src",
    modules: ["batch-rows.ts", "batch-statement.ts"],
  },
  "adapters/storage-postgres/server.test.ts": {
    reason: "the connection that a proof is written over is made up",
    folder: "adapters/storage-postgres/src",
    modules: ["connection.ts", "write-nothing.ts"],
  },
  "adapters/storage-postgres/pooler/pooler.test.ts": {
    reason: "the settings of the sessions that a connection gets are read over it",
    folder: "adapters/storage-postgres/src",
    modules: ["connection.ts", "find-keeping.ts"],
  },
  "adapters/storage-postgres/pooler/read-settings.ts": {
    reason: "the settings of the sessions that a connection gets are read over it",
    folder: "adapters/storage-postgres/src",
    modules: ["connection.ts"],
  },
  "adapters/storage-postgres/sessions.test.ts": {
    reason: "what a pooler keeps, and the settings of a session, are judged without one that is so",
    folder: "adapters/storage-postgres/src",
    modules: [
      "connection.ts",
      "find-keeping.ts",
      "keeping.ts",
      "named-query.ts",
      "server-warnings.ts",
    ],
  },
  "console/task-list.test.ts": {
    reason: "no browser can be made to answer in the order that is tested",
    folder: "packages/console/src",
    modules: ["pages/tasks/listed-tasks.ts", "pages/tasks/task-list.ts"],
  },
  "painter/films.test.ts": {
    reason: "frames and sound are compared before an encoder changes them",
    folder: "packages/painter/src",
    modules: [
      "drawing/frame.ts",
      "landscape/landscape-painter.ts",
      "landscape/landscape.ts",
      "drawing/random.ts",
      "drawing/tone.ts",
      "video/decode-image.ts",
      "video/frame-size.ts",
      "video/gallery-painter.ts",
      "video/render-video.ts",
      "video/soundtrack.ts",
      "drawing/yuv.ts",
    ],
  },
  "painter/images.test.ts": {
    reason: "a picture is compared with the first frame of a film, and letters with the fonts",
    folder: "packages/painter/src",
    modules: [
      "drawing/frame.ts",
      "image/edit-size.ts",
      "image/letterable.ts",
      "image/palette.ts",
      "scenes/landscape.ts",
      "landscape/landscape-painter.ts",
      "landscape/landscape.ts",
      "drawing/random.ts",
      "drawing/yuv.ts",
    ],
  },
}

const SOURCE = /^(?:packages|adapters)\/[^/]+\/src\//

/** The sources of packages that a test names, by path from the root. */
function findInside(path: string): string[] {
  const inside = findSpecifiers(read(path))
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => posix.join(dirname(path), specifier))
    .filter((target) => SOURCE.test(target))
  return [...new Set(inside)].toSorted()
}

/** "file: module", for tests that look at sources. */
const found = findFiles("tests", ".ts", ".mjs")
  .filter((path) => !path.startsWith("tests/architecture/"))
  .flatMap((path) => findInside(path).map((module) => `${path}: ${module}`))

const known = Object.entries(EXCEPTIONS).flatMap(([file, { folder, modules }]) =>
  modules.map((module) => `tests/${file}: ${folder}/${module}`),
)

describe("tests", () => {
  it("import packages by their public names, but for those that have a reason", () => {
    assert.deepEqual(
      found.filter((each) => !known.includes(each)),
      [],
    )
  })

  it("need every exception that is listed", () => {
    assert.deepEqual(
      known.filter((each) => !found.includes(each)),
      [],
    )
  })
})
