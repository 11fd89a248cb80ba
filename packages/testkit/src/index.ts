/** What adapters and engines are tested with: contracts, storages in memory, a manual clock, samples. */
export {
  describeArtifactRestore,
  type ArtifactRestoreOptions,
} from "./artifact-restore-contract.ts"
export {
  describeArtifactStorage,
  type ArtifactStorageContractOptions,
  type ArtifactStorageFixture,
} from "./artifact-storage-contract.ts"
export { describeArtifactSweep } from "./artifact-sweep-contract.ts"
export {
  describeChannel,
  type ChannelContractOptions,
  type CallbackListener,
  type ChannelFixture,
} from "./channel-contract.ts"
export type { Divergence } from "./contract.ts"
export {
  createMemoryArtifacts,
  type MemoryArtifacts,
  type MemoryArtifactsOptions,
} from "./memory/memory-artifacts.ts"
export { createMemoryStorage, type MemoryStorage } from "./memory/memory-storage.ts"
export { createManualClock, type ManualClock } from "./manual-clock.ts"
export {
  advanceSample,
  createSampleSealer,
  dispatchSample,
  sampleDigest,
  EVERY_USAGE,
  submitSample,
  succeedEveryKind,
  succeedSample,
  type SampleAppend,
  type SampleOptions,
  type SampleSubmission,
  type SampleSuccess,
} from "./sample-task.ts"
export { createSampleInputs, type SampleInputsOptions } from "./sample-inputs.ts"
export {
  createScriptedChannel,
  type LostAnswer,
  type PollReply,
  type Reply,
  type ScriptedCall,
  type ScriptedChannel,
  type ScriptedChannelOptions,
  type SubmitReply,
} from "./scripted-channel.ts"
export {
  describeStorage,
  type StorageContractOptions,
  type StorageFixture,
} from "./storage-contract.ts"
