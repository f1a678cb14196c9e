// Runs are made beside the page, which stays usable. A message is { id, scenario, seed }; the answer has `played` or `error`.
import init, { run } from "./hopwright_web.js";

const ready = init();

self.onmessage = async ({ data: { id, scenario, seed } }) => {
  try {
    await ready;
    self.postMessage({ id, played: JSON.parse(run(scenario, seed)) });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
