/** The flag and the variable of every setting that the file, a flag and a variable may each give. */
import type { SHARED_SETTINGS } from "./file-schema.ts"

export type SharedSetting = keyof typeof SHARED_SETTINGS

export const PLACES = {
  host: ["--host", "SAFELIGHT_HOST"],
  port: ["--port", "SAFELIGHT_PORT"],
  data: ["--data", "SAFELIGHT_DATA"],
  database: ["--database", "SAFELIGHT_DATABASE_URL"],
  listenDatabase: ["--listen-database", "SAFELIGHT_LISTEN_DATABASE_URL"],
  readDatabase: ["--read-database", "SAFELIGHT_READ_DATABASE_URL"],
  artifacts: ["--artifacts", "SAFELIGHT_ARTIFACTS_URL"],
  role: ["--role", "SAFELIGHT_ROLE"],
  publicUrl: ["--public-url", "SAFELIGHT_PUBLIC_URL"],
  logLevel: ["--log-level", "SAFELIGHT_LOG_LEVEL"],
  metrics: ["--metrics", "SAFELIGHT_METRICS"],
  metricsHost: ["--metrics-host", "SAFELIGHT_METRICS_HOST"],
  metricsPort: ["--metrics-port", "SAFELIGHT_METRICS_PORT"],
  sandbox: ["--sandbox", "SAFELIGHT_SANDBOX"],
} as const satisfies Record<SharedSetting, readonly [string, string]>
