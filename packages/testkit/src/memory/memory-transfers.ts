/** Transfers in the storage in memory, and the side records of its tasks, whose maps the storage owns. */
import type {
  IdempotencyUse,
  Input,
  Labels,
  LinkEpochRestore,
  Transfer,
  TransferStorage,
  ArtifactLinkEpoch,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export interface StoredUse extends IdempotencyUse {
  readonly account: string
  readonly task: string
}

export interface MemoryTransfersOptions {
  readonly inputs: ReadonlyMap<string, Input>
  readonly labels: ReadonlyMap<string, Labels>
  readonly listUses: () => readonly StoredUse[]
  readonly addUse: (use: StoredUse) => void
  readonly listLinkEpochs: (task: string) => readonly ArtifactLinkEpoch[]
  readonly restoreLinkEpoch: (request: LinkEpochRestore) => void
}

export function createMemoryTransfers(options: MemoryTransfersOptions): TransferStorage {
  const { inputs, labels, listUses, addUse, listLinkEpochs, restoreLinkEpoch } = options
  const transfers = new Map<string, Transfer>()
  return {
    listTransfers: async () => [...transfers.values()].toSorted((a, b) => compareIds(a.id, b.id)),
    setTransfer: async (transfer) => void transfers.set(transfer.id, transfer),
    dropTransfer: async (id) => void transfers.delete(id),
    readSideRecords: async (task) => ({
      inputs: [...inputs.values()]
        .filter((input) => input.task === task)
        .toSorted((a, b) => compareIds(a.name, b.name)),
      labels: labels.get(task) ?? {},
      idempotency: listUses()
        .filter((use) => use.task === task)
        .map(({ key, fingerprint, usedAt }) => ({ key, fingerprint, usedAt }))
        .toSorted((a, b) => compareIds(a.key, b.key)),
      linkEpochs: listLinkEpochs(task),
    }),
    async restoreIdempotency({ account, task, use }) {
      const known = listUses().find((each) => each.account === account && each.key === use.key)
      if (known === undefined) addUse({ ...use, account, task })
      return known === undefined || known.task === task
    },
    restoreLinkEpoch: async (request) => restoreLinkEpoch(request),
  }
}
