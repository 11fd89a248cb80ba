/** The public face of the engine. */
export { toChannelFault } from "./channel-fault.ts"
export {
  checkDeployment,
  type DeploymentCheck,
  type DeploymentCheckOptions,
  type DeploymentRefusal,
} from "./check-deployment.ts"
export type { PriceFault } from "./check-prices.ts"
export type { UnitCosts } from "./attempt-cost.ts"
export {
  chooseChannel,
  explainChoice,
  type Candidate,
  type Choice,
  type Standing,
} from "./scheduling/choose-channel.ts"
export { cancelTask, type CancelResult } from "./cancel-task.ts"
export {
  createDeploymentKeys,
  type DeploymentKeys,
  type DeploymentKeysOptions,
  type KeyPurpose,
} from "./deployment-keys.ts"
export { createEngine, type Engine, type EngineOptions } from "./engine.ts"
export type { EngineClock } from "./engine-clock.ts"
export {
  createIdentifiers,
  systemRandomness,
  type Identifiers,
  type Randomness,
} from "./identifiers.ts"
export type { ArtifactName } from "./read-artifact.ts"
export {
  resolveTask,
  type ResolvePorts,
  type ResolveRequest,
  type ResolveResult,
} from "./resolve-task.ts"
export type { ContentRefusals } from "./refusal-rule.ts"
export { createFairShares, type FairShares } from "./scheduling/fair-shares.ts"
export { createPermits, type Permit, type Permits } from "./scheduling/permits.ts"
export type { Route } from "./scheduling/routing.ts"
export { DEFAULTS, type EngineSettings } from "./settings.ts"
export { sha256 } from "./sha256.ts"
export type { SweepPart, SweepReport } from "./sweep.ts"
export { systemClock } from "./system-clock.ts"
