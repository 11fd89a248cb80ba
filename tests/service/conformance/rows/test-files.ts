/**
 * The files that rows refer to, each as a function from names to references. A name is the suites
 * around a test and its own, joined by " > "; the world a test runs in is no part of it.
 */
import type { TestReference } from "../../../support/passed-tests.ts"

type Refer = (...names: readonly string[]) => readonly TestReference[]

function inFile(file: string): Refer {
  return (...names) => names.map((name) => ({ file, name }))
}

export const accessToken = inFile("access/access-token.test.ts")
export const accessKeys = inFile("access/keys.test.ts")
export const apiKey = inFile("access/api-key.test.ts")
export const charge = inFile("core/charge.test.ts")
export const decide = inFile("core/decide.test.ts")
export const machine = inFile("core/machine.test.ts")
export const mediaUrl = inFile("core/media-url.test.ts")
export const parameters = inFile("core/parameters.test.ts")
export const rate = inFile("access/rate-slice.test.ts")
export const rateLimit = inFile("access/rates.test.ts")

export const dispatch = inFile("engine/dispatch.test.ts")
export const engineIdempotency = inFile("engine/idempotency.test.ts")
export const engineLimits = inFile("engine/limits.test.ts")
export const follow = inFile("engine/follow.test.ts")
export const retention = inFile("engine/retention.test.ts")
export const submission = inFile("engine/submission.test.ts")
export const sweep = inFile("engine/sweep.test.ts")

export const artifactLinks = inFile("adapters/http/artifact-links.test.ts")
export const conditions = inFile("adapters/http/conditions.test.ts")
export const content = inFile("adapters/http/content.test.ts")
export const errors = inFile("adapters/http/errors.test.ts")
export const idempotency = inFile("adapters/http/idempotency.test.ts")
export const jsonBody = inFile("adapters/http/json-body.test.ts")
export const largeBodies = inFile("adapters/http/large-bodies.test.ts")
export const limits = inFile("adapters/http/limits.test.ts")
export const linkAnswers = inFile("adapters/http/link-answers.test.ts")
export const linkKeys = inFile("access/links.test.ts")
export const links = inFile("adapters/http/links.test.ts")
export const list = inFile("adapters/http/list.test.ts")
export const nodeServer = inFile("adapters/http/node-server.test.ts")
export const openapi = inFile("adapters/http/openapi.test.ts")
export const ranges = inFile("adapters/http/ranges.test.ts")
export const sending = inFile("adapters/http/sending.test.ts")
export const tasks = inFile("adapters/http/tasks.test.ts")

export const sqlite = inFile("adapters/storage-sqlite/contract.test.ts")
export const sqliteFaults = inFile("adapters/storage-sqlite/faults.test.ts")
export const studio = inFile("adapters/channel-studio/channel.test.ts")
export const films = inFile("painter/films.test.ts")

export const answers = inFile("service/conformance/answers.test.ts")
export const commandKeys = inFile("service/command/keys.test.ts")
export const commandServe = inFile("service/command/serve.test.ts")
export const commandTasks = inFile("service/command/tasks.test.ts")
export const failingStorage = inFile("service/running/failing-storage.test.ts")
export const generatedRequests = inFile("service/generated/requests.test.ts")
export const hostileSockets = inFile("service/http/hostile-sockets.test.ts")
export const killService = inFile("scenarios/kill-service.test.ts")
export const models = inFile("service/models/models.test.ts")
export const order = inFile("service/conformance/order.test.ts")
export const redaction = inFile("service/secrets/redaction.test.ts")
export const requests = inFile("service/conformance/requests.test.ts")
export const secrets = inFile("service/conformance/secrets.test.ts")
export const serverLimits = inFile("service/conformance/server.test.ts")
export const transfers = inFile("service/conformance/content.test.ts")
