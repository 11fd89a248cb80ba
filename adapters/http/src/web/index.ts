/** The handler for any host with `fetch` types; `../index.ts` adds what needs Node. */
export type { AnsweredRequest, OnAnswered } from "../answered-request.ts"
export { DEFAULTS, type HttpSettings } from "../defaults.ts"
export { ERROR_CODES, type ErrorCode, type ErrorType } from "../errors/error-table.ts"
export { createHttpHandler, type HttpHandlerOptions } from "../http-handler.ts"
export {
  createHealthHandler,
  createMetricsHandler,
  type HealthHandlerOptions,
  type MetricsHandlerOptions,
} from "../operator-handlers.ts"
export type { HttpHandler } from "../router.ts"
export type { MetricsText, PageFiles } from "../services.ts"
