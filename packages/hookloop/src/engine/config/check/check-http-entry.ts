import { type Reading, report, shown } from "../reading.ts";
import { type ConfigProperty, plainValue } from "../tree/index.ts";

/** Whether an http hook has an address that can be asked and headers that can be sent; what is wrong is reported. */
export function checkHttpEntry(reading: Reading, properties: readonly ConfigProperty[]): boolean {
  const problems = [
    ...properties.filter(({ key }) => key === "url").map((property) => checkUrl(reading, property)),
    ...properties.filter(({ key }) => key === "headers").map((property) => checkHeaders(reading, property)),
  ];
  return problems.every((isRight) => isRight);
}

function checkUrl(reading: Reading, { value, place }: ConfigProperty): boolean {
  const url = value && plainValue(value);
  if (typeof url === "string" && URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol)) return true;
  const text = `${shown(url)} is not an http: or https: address. Variables are replaced in headers only. The hook is left out.`;
  report(reading, { code: "HL_CONFIG_BAD_URL", text, place: value?.place ?? place });
  return false;
}

function checkHeaders(reading: Reading, { value }: ConfigProperty): boolean {
  if (value?.type !== "object") return true;
  const wrong = value.properties.filter((header) => header.value?.type !== "text");
  for (const header of wrong) {
    const text = `Header ${shown(header.key)} must be a text, not ${shown(header.value && plainValue(header.value))}. The hook is left out.`;
    report(reading, { code: "HL_CONFIG_WRONG_TYPE", text, place: header.value?.place ?? header.place });
  }
  return wrong.length === 0;
}
