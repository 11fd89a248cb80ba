/**
 * The contract of `Storage`: what every adapter passes. Each sentence is tried on an empty storage
 * of its own; the last one runs generated calls against the storage and a model in memory.
 */
import { describeContract, type Divergence } from "./contract.ts"
import { ACCOUNT_BEHAVIOURS } from "./storage-account-behaviours.ts"
import { ADMISSION_BEHAVIOURS } from "./storage-admission-behaviours.ts"
import { APPEND_BEHAVIOURS } from "./storage-append-behaviours.ts"
import { ARCHIVE_BEHAVIOURS } from "./storage-archive-behaviours.ts"
import { BUNDLE_BEHAVIOURS } from "./storage-bundle-behaviours.ts"
import { CHANNEL_BEHAVIOURS } from "./storage-channel-behaviours.ts"
import { CHARGE_BEHAVIOURS } from "./storage-charge-behaviours.ts"
import { LEASE_BEHAVIOURS } from "./storage-lease-behaviours.ts"
import { DEPLOYMENT_BEHAVIOURS } from "./storage-deployment-behaviours.ts"
import { FEED_BEHAVIOURS } from "./storage-feed-behaviours.ts"
import type { StorageFixture } from "./storage-fixture.ts"
import { IDEMPOTENCY_BEHAVIOURS } from "./storage-idempotency-behaviours.ts"
import { INPUT_BEHAVIOURS } from "./storage-input-behaviours.ts"
import { INSIGHT_BEHAVIOURS } from "./storage-insight-behaviours.ts"
import { DEFINITION_BEHAVIOURS } from "./storage-definition-behaviours.ts"
import { JUDGED_MOMENT_BEHAVIOURS } from "./storage-judged-moment-behaviours.ts"
import { KEY_BEHAVIOURS } from "./storage-key-behaviours.ts"
import { HOLD_BEHAVIOURS } from "./storage-hold-behaviours.ts"
import { LABEL_BEHAVIOURS } from "./storage-label-behaviours.ts"
import { LINK_BEHAVIOURS } from "./storage-link-behaviours.ts"
import { LIST_BEHAVIOURS } from "./storage-list-behaviours.ts"
import { MODEL_BEHAVIOURS } from "./storage-model-behaviours.ts"
import { TRANSFER_BEHAVIOURS } from "./storage-transfer-behaviours.ts"
import { OPERATOR_CHANGE_BEHAVIOURS } from "./storage-operator-change-behaviours.ts"
import { QUEUE_BEHAVIOURS } from "./storage-queue-behaviours.ts"
import { RATE_BEHAVIOURS } from "./storage-rate-behaviours.ts"
import { SCAN_BEHAVIOURS } from "./storage-scan-behaviours.ts"
import { NEW_TASK_BEHAVIOURS } from "./storage-new-task-behaviours.ts"
import { TOTALS_BEHAVIOURS } from "./storage-totals-behaviours.ts"
import { TREE_BEHAVIOURS } from "./storage-tree-behaviours.ts"
import { LEAF_BEHAVIOURS } from "./storage-leaf-behaviours.ts"
import { DELIVERY_BEHAVIOURS } from "./storage-delivery-behaviours.ts"
import { WEBHOOK_BEHAVIOURS } from "./storage-webhook-behaviours.ts"

export type { StorageFixture } from "./storage-fixture.ts"

export interface StorageContractOptions {
  /** Behaviours that this storage is known to lack, by the name of their test. */
  readonly divergences?: readonly Divergence[]
}

/** Declares one suite; `create` hands out an empty storage for every behaviour. */
export function describeStorage(
  name: string,
  create: () => Promise<StorageFixture>,
  options: StorageContractOptions = {},
): void {
  describeContract({
    title: `${name} is a storage`,
    behaviours: {
      ...APPEND_BEHAVIOURS,
      ...INPUT_BEHAVIOURS,
      ...LABEL_BEHAVIOURS,
      ...HOLD_BEHAVIOURS,
      ...QUEUE_BEHAVIOURS,
      ...NEW_TASK_BEHAVIOURS,
      ...LEASE_BEHAVIOURS,
      ...CHANNEL_BEHAVIOURS,
      ...INSIGHT_BEHAVIOURS,
      ...LIST_BEHAVIOURS,
      ...SCAN_BEHAVIOURS,
      ...ADMISSION_BEHAVIOURS,
      ...IDEMPOTENCY_BEHAVIOURS,
      ...ACCOUNT_BEHAVIOURS,
      ...TOTALS_BEHAVIOURS,
      ...CHARGE_BEHAVIOURS,
      ...FEED_BEHAVIOURS,
      ...RATE_BEHAVIOURS,
      ...LINK_BEHAVIOURS,
      ...KEY_BEHAVIOURS,
      ...TRANSFER_BEHAVIOURS,
      ...DEPLOYMENT_BEHAVIOURS,
      ...DEFINITION_BEHAVIOURS,
      ...JUDGED_MOMENT_BEHAVIOURS,
      ...OPERATOR_CHANGE_BEHAVIOURS,
      ...TREE_BEHAVIOURS,
      ...LEAF_BEHAVIOURS,
      ...ARCHIVE_BEHAVIOURS,
      ...BUNDLE_BEHAVIOURS,
      ...WEBHOOK_BEHAVIOURS,
      ...DELIVERY_BEHAVIOURS,
      ...MODEL_BEHAVIOURS,
    },
    create,
    ...options,
  })
}
