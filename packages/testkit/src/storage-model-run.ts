/**
 * One generated run's view of a storage which other runs have left their own tasks, models and
 * leases in: every name that a call has is the run's own.
 */
import type { AdmitRequest, Storage } from "@safelight/core"
import type { SampleAppend } from "./sample-task.ts"
import { MODELS } from "./storage-fixture.ts"
import { createStorageModel, type StorageModel } from "./storage-model.ts"

export interface Run {
  readonly storage: Storage
  readonly model: StorageModel
  readonly toId: (task: number) => string
  readonly toModels: (models: readonly number[]) => string[]
  readonly toAccount: (account: number) => string
  /** Of a lease. */
  readonly toName: (name: string) => string
  readonly isMine: (name: string) => boolean
  /** Every append that was tried of a task, in order. */
  readonly tried: Map<string, SampleAppend[]>
  /** The newest admission that was tried of a task. */
  readonly admissions: Map<string, TriedAdmission>
}

export interface TriedAdmission {
  readonly request: AdmitRequest
  readonly sample: SampleAppend
}

export function startRun(storage: Storage, name: string): Run {
  const toName = (known: string | number) => `${name}:${known}`
  return {
    storage,
    model: createStorageModel(),
    toId: toName,
    toModels: (models) => models.map((model) => toName(MODELS[model] ?? "")),
    toAccount: (account) => toName(`account-${account}`),
    toName,
    isMine: (other) => other.startsWith(`${name}:`),
    tried: new Map(),
    admissions: new Map(),
  }
}
