/** The public names of `@safelight/proof`. */
export { toBase64 } from "./bytes/base64.ts"
export { areSameBytes, HASH_BYTES, type Sha256 } from "./bytes/sha256.ts"
export { createTreeHash, MOST_LEAVES, type TreeHash } from "./tree/hash-tree.ts"
export { verifyInclusion, type InclusionClaim } from "./tree/verify-inclusion.ts"
export { verifyConsistency, type ConsistencyClaim } from "./tree/verify-consistency.ts"
export {
  listPartialTiles,
  TILE_BYTES,
  TILE_WIDTH,
  toTileWidth,
  type SizedTile,
  type Tile,
  type TilePlace,
} from "./tiles/tile.ts"
export { hashTile } from "./tiles/hash-tile.ts"
export { parseTilePath, toTilePath } from "./tiles/tile-path.ts"
export {
  createTreeBuilder,
  type TreeBuilder,
  type TreeBuilderOptions,
} from "./tiles/tree-builder.ts"
export type { ReadTile, TreeSource } from "./tiles/read-subtrees.ts"
export { proveConsistency, proveInclusion, readRoot } from "./tiles/prove.ts"
export { isRefusal, type Refusal, type RefusalCode } from "./notes/refusal.ts"
export {
  createVerifierKey,
  isKeyName,
  parseVerifierKey,
  toVerifierText,
  type KeyType,
  type VerifierKey,
} from "./notes/verifier-key.ts"
export {
  formatNote,
  MOST_NOTE_BYTES,
  MOST_SIGNATURES,
  parseNote,
  type NoteSignature,
  type SignedNote,
} from "./notes/signed-note.ts"
export type { NoteSigner, VerifiedSignature, VerifySignature } from "./notes/note-signature.ts"
export { openNote, signNote, type OpenedNote, type OpenNoteOptions } from "./notes/open-note.ts"
export {
  formatCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  signCheckpoint,
  type Checkpoint,
  type OpenCheckpointOptions,
  type OpenedCheckpoint,
} from "./checkpoints/checkpoint.ts"
export { hashEventEntry, toEventEntry, type EventName } from "./log/event-entry.ts"
export { createSequencer, type Sequencer, type SequencerOptions } from "./log/sequencer.ts"
export { signTree, type SignTreeOptions } from "./log/sign-tree.ts"
export { createLeafReader, type LeafReaderOptions, type SignedLeaf } from "./log/leaf-reader.ts"
export { createTreeSource } from "./log/tree-source.ts"
export { openEventProof, type EventProof, type OpenedEventProof } from "./log/open-event-proof.ts"
export {
  createEventProver,
  proveEvents,
  type EventProverOptions,
  type ProveEventsOptions,
} from "./log/prove-events.ts"
export { proveTask, type ProveTaskOptions } from "./log/prove-task.ts"
export {
  openTaskProof,
  type OpenedTaskProof,
  type OpenTaskProofOptions,
} from "./log/open-task-proof.ts"
export {
  createCheckpointKeeper,
  type CheckpointCopy,
  type CheckpointKeeper,
  type CheckpointKeeperOptions,
  type KeepReport,
} from "./log/checkpoint-keeper.ts"
export { createProofService, type ProofServiceOptions } from "./log/proof-service.ts"
export { createLeafGatherer, type LeafGatherer } from "./tree/leaf-gatherer.ts"
export {
  createLogCheck,
  type LeafedStream,
  type LogCheck,
  type LogCheckOptions,
} from "./log/log-check.ts"
