/**
 * A storage as a few maps: slow, obvious, and right. The contract's generated runs compare every
 * answer with it.
 */
import type { Admission, AdmitRequest, Append, StreamHead } from "@safelight/core"
import { createAccountModel, type AccountModel } from "./storage-model-accounts.ts"
import { createQueueModel, type QueueModel } from "./storage-model-queue.ts"

export interface StorageModel {
  readonly heads: ReadonlyMap<string, StreamHead>
  readonly accounts: AccountModel
  readonly queue: QueueModel
  /** Whether the append is stored, now or earlier. */
  readonly append: (append: Append, head: StreamHead) => boolean
  /** What becomes of an admission; undefined where another task has its id. */
  readonly admit: (request: AdmitRequest, head: StreamHead) => Admission | undefined
}

export function createStorageModel(): StorageModel {
  const heads = new Map<string, StreamHead>()
  const hashes = new Set<string>()
  const accounts = createAccountModel(heads)
  const { changePlace, ...queue } = createQueueModel()
  const isStored = ({ events }: Append) => hashes.has(events.at(-1)?.hash ?? "")

  function add(append: Append, head: StreamHead): boolean {
    const isNext = heads.get(append.task)?.hash === append.expectedHash
    if (!isNext) return isStored(append)
    hashes.add(head.hash)
    heads.set(append.task, head)
    changePlace(append)
    return true
  }

  return {
    heads,
    accounts,
    queue,
    append: add,
    admit: (request, head) =>
      accounts.admit(request, isStored(request.append), () => add(request.append, head)),
  }
}
