/**
 * An account's bill for a command: written charge by charge, as fast as its reader takes it, so that a bill of any length
 * needs no more memory than one of its pages. A reader that goes away ends it.
 */
import type { Writable } from "node:stream"
import { billAccount, type BilledCharge, type BillReport } from "@safelight/audit"
import type { Storage } from "@safelight/core"
import { readKeptPrices, sha256 as digest } from "@safelight/engine"
import type { CommandContext } from "../command-line/command-context.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { withData } from "../data/open-data.ts"
import { refused } from "../errors/command-error.ts"
import {
  createChargeProofs,
  type ChargeProofs,
  type ProvenCharge,
} from "../proofs/charge-proofs.ts"
import { createBillJson } from "../text/bill-json.ts"
import { createBillText } from "../text/bill-text.ts"
import { AUDIT_EXIT } from "./audit-outcome.ts"

/** The bill that was asked for. */
export interface Bill {
  readonly account: string
  /** `2026-11`. */
  readonly month: string
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** False while charges may still come. */
  readonly isOver: boolean
}

/** A bill in pieces; together they are one text. */
export interface BillForm {
  /** `checkpoint`: the note that the proofs of charges lead to; absent if they have none. */
  begin(checkpoint?: string): string
  /** `proof`: null if there is none; absent if charges have none. */
  addCharge(charge: BilledCharge, proof?: ProvenCharge | null): string
  end(report: BillReport): string
}

export interface BillRun {
  readonly configuration: Pick<
    Configuration,
    "currency" | "data" | "database" | "models" | "prices"
  >
  readonly bill: Bill
  readonly isJson: boolean
  readonly hasProofs: boolean
}

/** Rejects with a `CommandError` if there is no such account. */
export async function runBill(
  { bill, configuration, hasProofs, isJson }: BillRun,
  context: CommandContext,
): Promise<void> {
  const { currency, models, prices } = configuration
  const form = isJson ? createBillJson(bill, currency) : createBillText(bill, currency)
  const request = { configuration, mayCreate: false, purpose: "read" } as const
  const outcome = await withData(request, async (storage) => {
    await requireAccount(storage, bill.account)
    const book = await readKeptPrices(storage, { models, prices })
    const charges = billAccount({ storage, digest, models, prices: book, ...bill })
    const proofs = hasProofs ? await createChargeProofs(storage) : undefined
    return writeBill(charges, { form, output: context.output, proofs })
  })
  context.exitWith(AUDIT_EXIT[outcome])
}

/** An account that nobody made has no limits, and may have tasks all the same. */
async function requireAccount(
  storage: Pick<Storage, "findAccount" | "listTasks">,
  account: string,
): Promise<void> {
  if ((await storage.findAccount(account)) !== undefined) return
  const { tasks } = await storage.listTasks({ account, limit: 1 })
  if (tasks.length > 0) return
  throw refused(
    "account: there is no account with this name; `safelight accounts list` shows the names",
  )
}

interface BillWriting {
  readonly form: BillForm
  readonly output: Writable
  readonly proofs: ChargeProofs | undefined
}

async function writeBill(
  charges: AsyncGenerator<BilledCharge, BillReport>,
  { form, output, proofs }: BillWriting,
): Promise<BillReport["outcome"]> {
  try {
    await write(output, form.begin(proofs?.checkpoint))
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- as fast as the reader takes them
      const step = await charges.next()
      if (step.done === true) {
        await write(output, form.end(step.value))
        return step.value.outcome
      }
      // oxlint-disable-next-line no-await-in-loop -- see above
      const proof = await proofs?.prove(step.value)
      await write(output, form.addCharge(step.value, proof))
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error
    return "could-not-tell"
  }
}

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
