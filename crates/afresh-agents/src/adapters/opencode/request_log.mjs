// Records the usage of every model request of this process as soon as its response has it, one line of JSON each.
// opencode itself stores the usage when the tools of a request have ended, so a kill during a tool would lose it.
//
// Only the numbers are recorded: no text, no address, no header. Nothing that fails here may disturb opencode.
import { appendFileSync } from "node:fs"
import { randomUUID } from "node:crypto"

// The worker's commands would load this module too, if they are programs of the same runtime.
delete process.env.BUN_INSPECT_PRELOAD

const log = new URL("worker/requests.jsonl", import.meta.url)
const MAX_LINE_CHARS = 4 * 1024 * 1024
const fetchPlain = globalThis.fetch
const processId = randomUUID()
let requests = 0

function append(line) {
  try {
    appendFileSync(log, JSON.stringify(line) + "\n")
  } catch {
    // Its directory is gone, or the disk is full.
  }
}

// Anthropic, OpenAI (chat, responses) and Gemini have it in different places, in events and in whole responses.
function usageOf(message) {
  return message?.usage ?? message?.message?.usage ?? message?.response?.usage ?? message?.usageMetadata
}

function recordUsage(id, text) {
  if (!text.includes('"usage')) return
  let parsed
  try {
    parsed = JSON.parse(text)
  } catch {
    return
  }
  for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
    const usage = usageOf(message)
    if (usage && typeof usage === "object") append({ id, usage })
  }
}

// Records the usage in a response's body while it passes on to opencode unchanged: each piece before opencode gets it.
function recorder(id, isStream) {
  const decoder = new TextDecoder()
  const recordEvent = (line) => line.startsWith("data:") && recordUsage(id, line.slice("data:".length))
  let rest = ""
  const read = (text) => {
    if (rest.length > MAX_LINE_CHARS) return
    rest += text
    if (!isStream) return
    const lines = rest.split(/\r?\n/)
    rest = lines.pop()
    lines.forEach(recordEvent)
  }
  return new TransformStream({
    transform(piece, controller) {
      try {
        read(decoder.decode(piece, { stream: true }))
      } catch {
        // The piece is passed on all the same.
      }
      controller.enqueue(piece)
    },
    flush() {
      if (isStream) recordEvent(rest)
      else recordUsage(id, rest)
    },
  })
}

function watchResponse(input, init, response) {
  const method = init?.method ?? input?.method
  const type = response.headers.get("content-type") ?? ""
  const isStream = type.includes("event-stream")
  if (method !== "POST" || !response.ok || !(isStream || type.includes("json")) || !response.body) return response
  requests += 1
  const { status, statusText, headers, url } = response
  const body = response.body.pipeThrough(recorder(`${processId}-${requests}`, isStream))
  // Not `clone`: in this runtime, the original would be empty.
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url })
}

const fetchWatched = async (input, init) => watchResponse(input, init, await fetchPlain(input, init))
globalThis.fetch = Object.assign(fetchWatched, fetchPlain)
// Shows that the module was loaded.
append({ id: processId })
