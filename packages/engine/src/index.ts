/** The public face of the engine. */
export { toChannelFault } from "./work/answers/channel-fault.ts"
export {
  checkDeployment,
  type DeploymentCheck,
  type DeploymentCheckOptions,
  type DeploymentRefusal,
} from "./host/check-deployment.ts"
export { keepPrices, readKeptPrices, type PriceSource } from "./host/kept-prices.ts"
export type { PriceFault } from "./reads/check-prices.ts"
export type { UnitCosts } from "./record/attempt-cost.ts"
export {
  chooseChannel,
  explainChoice,
  type Candidate,
  type Choice,
  type Standing,
} from "./scheduling/choose-channel.ts"
export { cancelTask } from "./record/cancel-task.ts"
export {
  createDeploymentKeys,
  type DeploymentKeys,
  type DeploymentKeysOptions,
  type KeyPurpose,
} from "./host/deployment-keys.ts"
export { createEngine, type Engine, type EngineOptions } from "./engine.ts"
export type { EngineClock } from "./host/engine-clock.ts"
export {
  createIdentifiers,
  systemRandomness,
  type Identifiers,
  type Randomness,
} from "./host/identifiers.ts"
export type { ArtifactName } from "./reads/read-artifact.ts"
export { resolveTask, type ResolvePorts } from "./record/resolve-task.ts"
export type { ContentRefusals } from "./work/refusal-rule.ts"
export { createFairShares, type FairShares } from "./scheduling/fair-shares.ts"
export { createPermits, type Permit, type Permits } from "./scheduling/permits.ts"
export type { RemovalClock } from "./host/removal-clock.ts"
export type { Route } from "./scheduling/routing.ts"
export { DEFAULTS, type EngineSettings } from "./host/settings.ts"
export { sha256 } from "./host/sha256.ts"
export type { SweepPart, SweepReport } from "./retention/sweep.ts"
export { systemClock } from "./host/system-clock.ts"
