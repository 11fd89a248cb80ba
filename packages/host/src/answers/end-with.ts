/** An answer that says, once, when it is over: sent to its end, or its reader gone. */
export function endWith(response: Response, onEnd: () => void): Response {
  const { body, headers, status } = response
  if (body === null) {
    onEnd()
    return response
  }
  let isOver = false
  function end(): void {
    if (!isOver) onEnd()
    isOver = true
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      end()
      controller.close()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  return new Response(stream, { status, headers })
}
