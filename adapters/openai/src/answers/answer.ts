/** An answer of this API before it is sent. A text stays one until then: as a stream it would cost more than its task. */

export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | string | null
}

export interface AnswerHead {
  readonly status?: number
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

export function answerJson(value: object, { headers, status = 200 }: AnswerHead = {}): Answer {
  const body = JSON.stringify(value)
  return { status, headers: { "content-type": "application/json", ...headers }, body }
}
