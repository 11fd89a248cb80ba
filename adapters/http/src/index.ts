/** The public face of the HTTP adapter under Node: the handler, and a server around it. `web/` is for other hosts. */
export type { AnsweredRequest, OnAnswered } from "./pipeline/answered-request.ts"
export type { ThreadModels } from "./body/creation-job.ts"
export { DEFAULTS, type HttpSettings } from "./pipeline/defaults.ts"
export { ERROR_CODES, type ErrorCode, type ErrorType } from "./errors/error-table.ts"
export { ROUTES } from "./endpoints/endpoints.ts"
export { createTaskText } from "./bodies/task.ts"
export type { HostBindings, ServerPort } from "./pipeline/exchange.ts"
export type { HttpHandlerOptions } from "./handlers/http-handler.ts"
export { createNodeHandler as createHttpHandler } from "./node/handler.ts"
export {
  createHealthHandler,
  createMetricsHandler,
  type HealthHandlerOptions,
  type MetricsHandlerOptions,
} from "./handlers/operator-handlers.ts"
export { createServerPort, type NodePair } from "./node/server-port.ts"
export { createNodeServer, type NodeServer, type NodeServerOptions } from "./node/node-server.ts"
export { describeParameters, isOfMedia, toMediaKind } from "./openapi/describe-parameters.ts"
export { HEALTH_ROUTES } from "./pipeline/request-span.ts"
export type {
  McpQuestion,
  McpService,
  OpenAiAnswer,
  OpenAiPurchase,
  OpenAiQuestion,
  OpenAiService,
  MetricsText,
  PageFiles,
} from "./pipeline/services.ts"
export type { HttpHandler } from "./pipeline/router.ts"

export { findJsonFault } from "./body/body-fault.ts"
export { JSON_BOUNDS, scanJson, type JsonBounds, type JsonStructure } from "./body/json-scan.ts"
export {
  decideContent,
  type Conditions,
  type ContentDecision,
  type Representation,
} from "./content/conditions.ts"
export { formatHttpDate, parseHttpDate } from "./content/http-date.ts"
export { evaluateRange, type ByteRange, type RangeResult } from "./content/ranges.ts"
