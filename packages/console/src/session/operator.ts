/**
 * Whether the key of the session is an operator's: its scopes have `admin`. The service is asked once a session; until
 * it has answered nobody knows, and nothing of an operator is shown.
 */
import type { Client } from "@safelight/client"
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals"
import { session } from "./session.ts"

interface Told {
  readonly client: Client
  readonly isOperator: boolean
}

/** The client has tried several times by then. */
const PAUSE_MS = 4_000

const told = signal<Told | undefined>(undefined)
const failures = signal(0)

/** Undefined until the service has told. */
export const isOperator: ReadonlySignal<boolean | undefined> = computed(() =>
  told.value?.client === session.value?.client ? told.value?.isOperator : undefined,
)

/** From now on, for every session. */
export function followOperator(): void {
  effect(() => {
    const client = session.value?.client
    // Another failure is another reason to ask.
    void failures.value
    if (client !== undefined && told.peek()?.client !== client) void ask(client)
  })
}

async function ask(client: Client): Promise<void> {
  try {
    const { scopes } = await client.me()
    if (session.peek()?.client === client)
      told.value = { client, isOperator: scopes.includes("admin") }
  } catch {
    // A key that is refused has ended the session, which the effect sees.
    setTimeout(() => (failures.value += 1), PAUSE_MS)
  }
}
