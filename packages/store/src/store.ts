/** Everything of the port but writing to the log: each method stands here once, over a driver. */
import type { Log, Storage } from "@safelight/core"
import { createAccountMethods } from "./accounts.ts"
import { createChannelMethods } from "./channels.ts"
import { createDeploymentMethods } from "./deployment.ts"
import type { Driver } from "./driver.ts"
import { createKeyMethods } from "./keys.ts"
import { createLeaseMethods } from "./leases.ts"
import { createLinkMethods } from "./links.ts"
import { createListMethod } from "./lists.ts"
import { createMoveMethods } from "./moves.ts"
import { createQueueMethods } from "./queue.ts"
import { createRateMethods } from "./rates.ts"
import { createReadMethods } from "./reads.ts"
import { createScanMethod } from "./scans.ts"
import type { Compiler } from "./statement.ts"
import { createTaskRowMethod } from "./task-rows.ts"

export type StoreMethods = Omit<
  Storage,
  "append" | "admit" | "check" | "close" | "readClock" | "onQueued" | "wakeHolder" | "onHolderWoken"
>

export interface StoreOptions {
  readonly log: Log
  /** Tasks that were held are anybody's again. */
  readonly onFreed?: () => void
}

export function createStoreMethods(
  driver: Driver,
  compiler: Compiler,
  { log, onFreed = () => {} }: StoreOptions,
): StoreMethods {
  return {
    ...createAccountMethods(driver, compiler),
    ...createChannelMethods(driver, compiler),
    ...createDeploymentMethods(driver, compiler),
    ...createKeyMethods(driver, compiler),
    ...createLeaseMethods(driver.queue, compiler, onFreed),
    ...createLinkMethods(driver, compiler),
    ...createListMethod(driver, compiler),
    ...createMoveMethods(driver, compiler),
    ...createQueueMethods(driver, compiler, { log, onFreed }),
    ...createRateMethods(driver, compiler),
    ...createReadMethods(driver, compiler),
    ...createScanMethod(driver, compiler),
    ...createTaskRowMethod(driver, compiler),
  }
}
