/** Charges as a handler knows them: pages of the account's own, in the order of their moments. */
import {
  textToImage,
  type ChargeEvidence,
  type ChargeListRequest,
  type ChargeRow,
  type StatedCharge,
  type StatementService,
} from "@safelight/core"
import { taskId } from "./fake-service.ts"

/** The account of a world's key. */
const ACCOUNT = "account-a"

/** When the first of them ended; the others follow a second later each. */
export const FIRST_END_AT = 1_767_225_600_900

export interface FakeStatements extends StatementService {
  readonly asked: ChargeListRequest[]
  readonly charges: StatedCharge[]
  /** Reads wait until it is called. */
  hold(): () => void
  /** Reads under way, and the most that there were. */
  readonly reading: { now: number; most: number }
}

export function toItem(place: number, changes: Partial<ChargeRow> = {}): ChargeRow {
  return {
    account: ACCOUNT,
    at: FIRST_END_AT + place * 1_000,
    billedInputMs: 0,
    characters: 0,
    chargeMicros: 10_000 * place,
    images: place,
    model: textToImage.id,
    outputAudioMs: 0,
    outputVideoMs: 0,
    priceVersion: "default-1#4b1f0f4e",
    task: taskId(place),
    tokens: 0,
    ...changes,
  }
}

export function toFakeEvidence({ images, task }: ChargeRow): ChargeEvidence {
  const event = {
    at: FIRST_END_AT,
    data: "{}",
    hash: `${images}`.repeat(64),
    schema: 3,
    sealed: "cd".repeat(32),
    task,
    type: "succeeded",
    version: 4,
  }
  return {
    outcome: "succeeded",
    usage: { images, inputVideosMs: [], outputVideoMs: 0 },
    price: {
      version: "default-1#4b1f0f4e",
      digest: "ef".repeat(32),
      price: { perImageMicros: 10_000 },
    },
    lines: [{ item: "image", quantity: images, unitPriceMicros: 10_000 }],
    measuredMicros: images * 10_000,
    limitMicros: 80_000,
    event: { version: 4, shown: { event, previousHash: "0f".repeat(32) } },
  }
}

export function toStated(place: number): StatedCharge {
  const item = toItem(place)
  return { item, evidence: toFakeEvidence(item), finding: null }
}

export function createFakeStatements(failIfAsked: () => void): FakeStatements {
  const asked: ChargeListRequest[] = []
  const charges: StatedCharge[] = []
  const reading = { now: 0, most: 0 }
  let held: Promise<void> | undefined
  return {
    asked,
    charges,
    reading,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    async readStatement(request) {
      asked.push(request)
      failIfAsked()
      reading.now += 1
      reading.most = Math.max(reading.most, reading.now)
      await held
      reading.now -= 1
      const { account, after, limit } = request
      const own = charges.filter(({ item }) => item.account === account)
      const from =
        after === undefined ? 0 : own.findIndex(({ item }) => item.task === after.task) + 1
      const page = own.slice(from, from + limit)
      const last = own.length > from + limit ? page.at(-1)?.item : undefined
      return { charges: page, next: last === undefined ? null : { at: last.at, task: last.task } }
    },
  }
}
