/** The settings of a service that are options: of `serve`, and of whatever looks at one before it is started. */
import { DATA_OPTIONS } from "./data-options.ts"
import { flag, option } from "./parameters.ts"

export const SERVE_OPTIONS = {
  port: option("<number>", "port to listen on, 0 for any [SAFELIGHT_PORT] (default: 8080)"),
  host: option("<address>", "address to listen on [SAFELIGHT_HOST] (default: 127.0.0.1)"),
  publicUrl: option("<url>", "where clients reach it [SAFELIGHT_PUBLIC_URL]"),
  metricsPort: option("<number>", "port for /metrics alone [SAFELIGHT_METRICS_PORT]"),
  metricsHost: option(
    "<address>",
    "address for that port [SAFELIGHT_METRICS_HOST] (default: 127.0.0.1)",
  ),
  metrics: flag("serve /metrics with the API, to anybody [SAFELIGHT_METRICS]"),
  sandbox: flag("obey [studio: …] directives in prompts [SAFELIGHT_SANDBOX]"),
  listenDatabase: option(
    "<url>",
    "the same database past a pooler, for wake-ups [SAFELIGHT_LISTEN_DATABASE_URL]",
  ),
  readDatabase: option(
    "<url>",
    "a standby of that database, for lists, usage, exports and audits [SAFELIGHT_READ_DATABASE_URL]",
  ),
  artifacts: option(
    "<place>",
    "s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL] (default: <data>/artifacts)",
  ),
  role: option(
    "<role>",
    "all, or api or worker, which need --database and --artifacts [SAFELIGHT_ROLE] (default: all)",
  ),
  logLevel: option("<level>", "silent, error, warn or info [SAFELIGHT_LOG_LEVEL] (default: info)"),
  ...DATA_OPTIONS,
}
