/** The package's exports: the service, for a host or a test that runs it in its own process. */
export { createService, type Service, type ServiceOptions } from "./service/assemble.ts"
export type { AccountDefaults } from "./configuration/account-defaults.ts"
export type {
  BucketCredentials,
  Configuration,
  EngineLimits,
  LogLevel,
  MediaLimits,
  Role,
  StudioLimits,
} from "./configuration/configuration.ts"
export type { ChannelSetup, CreateChannel } from "./channels/load-module.ts"
export type { ChannelSettings } from "./configuration/channel-settings.ts"
export { DEFAULTS } from "./configuration/defaults.ts"
export {
  loadConfiguration,
  type ConfigurationFlags,
  type ConfigurationSource,
} from "./configuration/load-configuration.ts"
export { toBodySettings } from "./service/body-memory.ts"
export { hideFields } from "./service/hide-fields.ts"
export { createMetrics, type Metrics } from "./metrics/metrics.ts"
export { serveMetrics } from "./metrics/metrics-server.ts"
export { createWatching, type Watching, type WatchingSettings } from "./metrics/watching.ts"
export { createRecentCommits, type RecentCommits } from "./operator/recent-commits.ts"
export { createServiceOperator, type ServiceOperatorOptions } from "./operator/service-operator.ts"
export { createRequestLog } from "./service/request-log.ts"
export type { CommandContext } from "./command-line/command-context.ts"
export { runProgram } from "./run-program.ts"
