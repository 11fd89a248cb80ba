/**
 * The bare limit: the same Hono on the same Node server, the same body checked against the same
 * model and an answer of the same shape, without authentication, engine or store.
 */
import { serve } from "@hono/node-server"
import { textToImage } from "@safelight/core"
import { Hono } from "hono"
import { announce } from "./announce.ts"

const task = {
  task_id: "01a1fd97-db48-7000-a2da-b560a2d3e095",
  model: textToImage.id,
  status: "queued",
  progress: 0,
  created_at: 1_795_255_950,
  finished_at: 0,
  error: null,
  links: {
    self: "/v1/tasks/01a1fd97-db48-7000-a2da-b560a2d3e095",
    artifacts: "/v1/tasks/01a1fd97-db48-7000-a2da-b560a2d3e095/artifacts",
  },
}

/** As long as a page of a task's events is. */
const page = { events: Array.from({ length: 100 }, () => task) }

const app = new Hono()
app.post("/v1/tasks", async (context) => {
  const body: { parameters: unknown } = await context.req.json()
  if (textToImage.check(body.parameters).kind === "invalid") return context.json({}, 400)
  return context.json(task, 202, { location: task.links.self })
})
app.get("/v1/tasks/:task_id", (context) => context.json(task))
app.post("/v1/tasks/:task_id/hold", (context) => context.json(task))
app.get("/v1/tasks/:task_id/events", (context) => context.json(page))
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  announce({ url: `http://127.0.0.1:${port}` })
})
