//! Requests to the program that serves the page.
import { state } from "./store.js";

/** What went wrong, in words of the server. */
export class RequestError extends Error {}

/**
 * @param {string} path @param {{method?: string, body?: any, key?: string, raw?: boolean}} [how]
 */
export async function request(path, how = {}) {
  const key = how.key ?? state.at.host;
  let response;
  try {
    response = await fetch(path, {
      method: how.method ?? (how.body === undefined ? "GET" : "POST"),
      headers: { ...(key ? { Authorization: `Bearer ${key}` } : {}), ...(how.body !== undefined && !(how.body instanceof ArrayBuffer) ? { "Content-Type": "application/json" } : {}) },
      body: how.body === undefined ? undefined : how.body instanceof ArrayBuffer ? how.body : JSON.stringify(how.body),
      cache: "no-store",
    });
  } catch {
    throw new RequestError("");
  }
  if (!response.ok) {
    const text = await response.text();
    let words = text;
    try {
      const json = JSON.parse(text);
      words = json.words ?? json.error ?? text;
    } catch { /* plain words */ }
    throw new RequestError(String(words).slice(0, 600) || `${response.status}`);
  }
  return how.raw ? response : response.json();
}

/** Saves the trace of a table as a file. @param {string} path @param {string} name */
export async function download(path, name) {
  const response = await request(path, { raw: true, key: state.at.host || state.at.key });
  const url = URL.createObjectURL(await response.blob());
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** The address of a table for a key. */
export function linkTo(table, as, key) {
  return `${location.origin}/#table=${encodeURIComponent(table)}&as=${as}&key=${key}`;
}

/** Copies a text; without the clipboard interface (plain HTTP), by selecting the field. @param {HTMLInputElement} field */
export async function copy(field) {
  try {
    if (navigator.clipboard && isSecureContext) {
      await navigator.clipboard.writeText(field.value);
      return true;
    }
  } catch { /* the other way */ }
  field.focus();
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  }
}
