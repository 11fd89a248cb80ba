/** Pictures in a Fastify application. */
import Fastify, { type FastifyReply } from "fastify"
import { orderPicture, receiveWebhook, showPicture, type Answer } from "../pictures.ts"

const app = Fastify()
// In a plugin of its own, whose parser leaves the body as it came.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body))
  scope.post("/webhook", async ({ body, headers }, reply) => {
    return send(reply, await receiveWebhook(headers, body as string))
  })
})
app.post("/pictures", async ({ body }, reply) => send(reply, await orderPicture(body)))
app.get<{ Params: { task: string } }>("/pictures/:task", async ({ params }, reply) => {
  return send(reply, showPicture(params.task))
})

function send(reply: FastifyReply, { body, status }: Answer): FastifyReply {
  return reply.status(status).send(body)
}

console.log(await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }))

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void app.close())
