/** The handler for any host with `fetch` types; `../index.ts` adds what needs Node. */
export type { AnsweredRequest, OnAnswered } from "../pipeline/answered-request.ts"
export { DEFAULTS, type HttpSettings } from "../pipeline/defaults.ts"
export { ERROR_CODES, type ErrorCode, type ErrorType } from "../errors/error-table.ts"
export { createHttpHandler, type HttpHandlerOptions } from "../handlers/http-handler.ts"
export {
  createHealthHandler,
  createMetricsHandler,
  type HealthHandlerOptions,
  type MetricsHandlerOptions,
} from "../handlers/operator-handlers.ts"
export type { HttpHandler } from "../pipeline/router.ts"
export type {
  McpQuestion,
  McpService,
  OpenAiAnswer,
  OpenAiPurchase,
  OpenAiQuestion,
  OpenAiService,
  MetricsText,
  PageFiles,
} from "../pipeline/services.ts"
