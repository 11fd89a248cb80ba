/**
 * What each channel needs its operator for, as this process last saw it: its account has no money, its key is not
 * taken, its outputs lie at a host that it may not ask. Told with each heartbeat, and by a line in the log where
 * it is seen; nothing is decided by it.
 */
import {
  HOST_REFUSED,
  toEcho,
  type ChannelTrouble,
  type Clock,
  type LeaseFacts,
} from "@safelight/core"

export interface Troubles {
  /** False if the last purchase there had the same reason: its words are kept, since they may name a request. */
  notePurchase(channel: string, seen: Pick<ChannelTrouble, "reason" | "words">): boolean
  /** A purchase was taken. */
  endPurchase(channel: string): void
  /** False if it is known. It stays: a host is allowed by the configuration, which the next process reads. */
  noteHost(channel: string, host: string): boolean
  /** For the process's lease. */
  toFacts(): Pick<LeaseFacts, "troubles">
}

/** Of one channel; what is beyond them is one provider's whim. */
const MOST_HOSTS = 20

export function createTroubles({ now }: Pick<Clock, "now">): Troubles {
  const purchases = new Map<string, ChannelTrouble>()
  const hosts = new Map<string, ChannelTrouble[]>()
  return {
    notePurchase(channel, { reason, words }) {
      if (purchases.get(channel)?.reason === reason) return false
      purchases.set(channel, { channel, reason, words, since: now() })
      return true
    },
    endPurchase: (channel) => void purchases.delete(channel),
    noteHost(channel, words) {
      const known = hosts.get(channel) ?? []
      if (known.length >= MOST_HOSTS || known.some((each) => each.words === words)) return false
      hosts.set(channel, [...known, { channel, reason: HOST_REFUSED, words, since: now() }])
      return true
    },
    toFacts() {
      const troubles = [...purchases.values(), ...[...hosts.values()].flat()]
      return troubles.length === 0 ? {} : { troubles }
    },
  }
}

/** Enough for any sentence; a page in place of one is cut. */
const TOLD_CHARACTERS = 300

/** A provider's words as a line of the log and a table have them: one line, without secrets and addresses. */
export function toToldWords(words: string | undefined): string {
  return toEcho((words ?? "").replaceAll(/\s+/g, " ").trim(), TOLD_CHARACTERS)
}
