/**
 * The defaults of a service. Limits of a piece (the engine, the studio, the guarded fetch) have their defaults
 * there: a field that is left out is not passed on.
 */
import { DEFAULT_PRICES, MODELS } from "@safelight/core"
import { ACCOUNT_DEFAULTS } from "./account-defaults.ts"
import type { Configuration } from "./configuration.ts"

export const DEFAULTS = {
  role: "all",
  /** Nothing outside this machine may connect until somebody asks for it. */
  host: "127.0.0.1",
  port: 8080,
  /** From the working directory. */
  data: "./data",
  logLevel: "info",
  /** A stranger learns nothing of the service's load. */
  metrics: false,
  console: true,
  reference: true,
  mcp: true,
  openai: true,
  metricsHost: "127.0.0.1",
  /** 14 days (specification §8). */
  retentionMs: 14 * 24 * 60 * 60 * 1000,
  /** For work that is running when a stop is requested: common supervisors kill after 30 s. */
  stopGraceMs: 20_000,
  models: MODELS,
  modelFiles: [],
  prices: DEFAULT_PRICES,
  accounts: { defaults: ACCOUNT_DEFAULTS },
  channels: [{ type: "studio" }],
  engine: {},
  studio: {},
  media: {},
  webhooks: {},
  checkpoints: {},
  archive: {},
} as const satisfies Configuration
