/**
 * Whose key the session has, and what it may do. The service is asked once a session; until it has answered nobody knows, and
 * nothing of an operator is shown.
 */
import type { Client, Me } from "@safelight/client"
import { computed, effect, signal, type ReadonlySignal } from "@preact/signals"
import { session } from "./session.ts"

interface Told {
  readonly client: Client
  readonly me: Me
}

/** The client has tried several times by then. */
const PAUSE_MS = 4_000

const told = signal<Told | undefined>(undefined)
const failures = signal(0)

/** Undefined until the service has answered. */
export const me: ReadonlySignal<Me | undefined> = computed(() =>
  told.value?.client === session.value?.client ? told.value?.me : undefined,
)

/** Undefined until the service has answered. */
export function hasScope(scope: Me["scopes"][number]): boolean | undefined {
  return me.value?.scopes.includes(scope)
}

export function isOperator(): boolean {
  return hasScope("admin") === true
}

/** From now on, for every session. */
export function followMe(): void {
  effect(() => {
    const client = session.value?.client
    // Another failure is another reason to ask.
    void failures.value
    if (client !== undefined && told.peek()?.client !== client) void ask(client)
  })
}

async function ask(client: Client): Promise<void> {
  try {
    const answer = await client.me()
    if (session.peek()?.client === client) told.value = { client, me: answer }
  } catch {
    // A key that is refused has ended the session, which the effect sees.
    setTimeout(() => (failures.value += 1), PAUSE_MS)
  }
}
