/** What the adapters and the service share that needs Node. */
export { endWith } from "./answers/end-with.ts"
export { makeSyncedFolder, syncFolder } from "./files/synced-folders.ts"
export { createProcessPool } from "./processes/process-pool.ts"
export type { PoolWork, ProcessPool, ProcessPoolOptions } from "./processes/process-pool.ts"
export type { Death, Work, Worker } from "./processes/worker-process.ts"
export { findProgram } from "./programs.ts"
export { createThread, type Thread, type ThreadEnd, type ThreadOptions } from "./threads/thread.ts"
