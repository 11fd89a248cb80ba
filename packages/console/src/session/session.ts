/**
 * Who is signed in. The key is held in memory; `sessionStorage` has it only if the reader asked for that, and forgets
 * it with the tab. A key that the service refuses ends the session, with a sentence on the sign-in page.
 */
import { createClient, type Client } from "@safelight/client"
import { signal, type ReadonlySignal } from "@preact/signals"
import { createWatchedFetch } from "./watched-fetch.ts"

export interface Session {
  readonly client: Client
  /** Another one for each sign-in: what was loaded for one key is not shown to the next. */
  readonly id: number
}

const STORED = "safelight-key"

/** Long enough not to press on a service that starts, short enough to see it come back. */
const LONGEST_PAUSE_MS = 4_000

const current = signal<Session | undefined>(undefined)
const unreached = signal(false)
const endReason = signal<string | undefined>(undefined)
let count = 0

export const session: ReadonlySignal<Session | undefined> = current
/** True while the service can't be reached. */
export const isOffline: ReadonlySignal<boolean> = unreached
/** Why the last session ended, as a sentence. */
export const endedBecause: ReadonlySignal<string | undefined> = endReason

/** Resolves when the key is known to work; rejects with an `ApiError`, or a `TypeError` if it is no key at all. */
export async function signIn(key: string, isKept: boolean): Promise<void> {
  const { client, open } = prepare(key)
  await client.me()
  if (isKept) sessionStorage.setItem(STORED, key)
  open()
}

/** Goes on with the key of this tab, if there is one. */
export function resume(): void {
  const key = sessionStorage.getItem(STORED)
  if (key !== null) prepare(key).open()
}

export function signOut(because?: string): void {
  sessionStorage.removeItem(STORED)
  current.value = undefined
  endReason.value = because
}

/** The client of the session. Pages call it, since they are shown only while a user is signed in. */
export function useClient(): Client {
  const { value } = current
  if (value === undefined) throw new Error("a page is shown without a session")
  return value.client
}

function prepare(key: string): { readonly client: Client; readonly open: () => void } {
  const id = (count += 1)
  const fetch = createWatchedFetch({
    onReached: () => (unreached.value = false),
    onUnreached: () => (unreached.value = true),
    onRefusedKey: (code) => {
      if (current.value?.id === id) signOut(toEndReason(code))
    },
  })
  const settings = { longestPauseMs: LONGEST_PAUSE_MS }
  const client = createClient({ url: location.origin, key, fetch, settings })
  const open = (): void => {
    endReason.value = undefined
    current.value = { client, id }
  }
  return { client, open }
}

function toEndReason(code: string): string {
  if (code === "api_key_revoked") return "Your key was revoked. Sign in with another one."
  if (code === "api_key_expired") return "Your key has expired. Sign in with another one."
  return "The service no longer accepts your key. Sign in again."
}
