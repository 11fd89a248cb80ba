/** The handler for any host with `fetch` types; what needs Node is in the entry beside this one. */
export type { AnsweredRequest, OnAnswered } from "../answered-request.ts"
export { DEFAULTS, type HttpSettings } from "../defaults.ts"
export { ERROR_CODES, type ErrorCode, type ErrorType } from "../errors/error-table.ts"
export { createHealthHandler, type HealthHandlerOptions } from "../health-handler.ts"
export { createHttpHandler, type HttpHandlerOptions } from "../http-handler.ts"
export { createMetricsHandler, type MetricsHandlerOptions } from "../metrics-handler.ts"
export type { HttpHandler } from "../router.ts"
export type { MetricsText } from "../services.ts"
