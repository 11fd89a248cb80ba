/** The public face of the package: the service for a host or a test that runs it in its process. */
export { createService, type Service, type ServiceOptions } from "./assemble.ts"
export type {
  Configuration,
  EngineLimits,
  LogLevel,
  MediaLimits,
  StudioLimits,
} from "./configuration/configuration.ts"
export { DEFAULTS } from "./configuration/defaults.ts"
export {
  loadConfiguration,
  type ConfigurationFlags,
  type ConfigurationSource,
} from "./configuration/load-configuration.ts"
export { createFirstKey, FIRST_ACCOUNT } from "./first-key.ts"
export { createKey, type NewKey, type NewKeyRequest } from "./api-keys.ts"
