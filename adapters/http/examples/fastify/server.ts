/** The task API below /media of a Fastify application. */
import { getRequestListener } from "@hono/node-server"
import Fastify from "fastify"
import { openMedia } from "../media.ts"
import { onStop } from "../stop.ts"

const PREFIX = "/media"

let url = ""
const media = await openMedia({ folder: "data", publicUrl: () => url })
const listener = getRequestListener((request) => media.handler.fetch(request))

const app = Fastify()
// In a plugin of its own, so that no parser of the application reads the bodies.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
  scope.all(`${PREFIX}/*`, (request, reply) => {
    reply.hijack()
    request.raw.url = (request.raw.url ?? "").slice(PREFIX.length)
    return listener(request.raw, reply.raw)
  })
})
app.post("/echo", (request) => request.body)

const origin = await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) })
url = `${origin}${PREFIX}`
console.log(`${url} ${media.key}`)

onStop(async () => {
  await app.close()
  await media.close()
})
