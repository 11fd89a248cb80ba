/** The public API: the names below. */
export { createTracer, type OpenTelemetryTracer } from "./create-tracer.ts"
