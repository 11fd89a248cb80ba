/**
 * One request of a caller to a node, and what came of it. A caller that gets no answer can't tell what
 * happened, and so nothing is concluded from that.
 */
export interface Target {
  readonly url: string
}

/** A POST; without a body it has none. */
export interface Sent {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
  /** The last byte of the request was sent no sooner. */
  readonly sentAt: number
}

/** As much as any caller reads, of whatever answer. */
export interface AnswerBody {
  readonly task_id?: string
  readonly status?: string
  readonly outcome?: string
  readonly task?: { readonly status?: string }
  readonly error?: { readonly code?: string }
  readonly quote?: string
  readonly price_version?: string
  readonly max_cost_micros?: number
}

export interface Call {
  readonly target: Target
  readonly path: string
  /** The whole API key. */
  readonly key: string
  /** Absent: a GET. */
  readonly sent?: Sent | undefined
  readonly signal: AbortSignal
}

/** A node that was stopped answers nobody: the caller goes elsewhere with the same key. */
const CALL_MS = 3_000

/** Null where no answer came: killed, stopped, cut. */
export async function ask({ key, path, sent, signal, target }: Call): Promise<Answer | null> {
  const sentAt = Date.now()
  try {
    const response = await fetch(`${target.url}${path}`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
      method: sent === undefined ? "GET" : "POST",
      ...(sent?.body !== undefined && { body: sent.body }),
      headers: { authorization: `Bearer ${key}`, ...sent?.headers },
    })
    const { headers, status } = response
    return { status, headers, body: (await response.json()) as AnswerBody, sentAt }
  } catch {
    return null
  }
}
