// What the page does by itself: say when something has changed, or the server is gone; keys for the queue.
(function () {
  "use strict";
  var state = document.getElementById("state");
  var isStale = false, isGone = false, news = null, listensTo = null, seen = null, again = 0, stops = null;
  function agent() { return document.getElementById("head").dataset.agent; }
  // On a phone the row of views is wider than the screen: show where one is, and that there is more.
  var here = document.querySelector("nav [aria-current]"), row = here && here.parentNode;
  if (row) { row.scrollLeft = here.offsetLeft + here.offsetWidth + 48 - row.offsetLeft - row.clientWidth; }
  function say(text) { state.textContent = text; state.hidden = !text; }
  function isTyping() {
    var at = document.activeElement;
    if (at && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) { return true; }
    return Array.prototype.some.call(document.querySelectorAll("input:not([type=hidden])"), function (one) {
      return one.value !== one.defaultValue;
    });
  }
  // Nothing that is being typed, decided or read open is taken away: then it is only said.
  function isInUse() {
    return isTyping() || document.activeElement.closest(".item") || document.querySelector("main details[open]");
  }
  function renew() {
    if (isInUse()) {
      isStale = true;
      say("The memory has changed. Reload the page to see it.");
      return;
    }
    isStale = false;
    window.htmx.ajax("GET", location.href, { target: "#main", select: "#main", swap: "outerHTML" });
  }
  // A browser has six connections to a server, for all its tabs together: only what is looked at keeps one.
  function leave() {
    clearTimeout(again);
    if (stops) { stops(); stops = null; }
    if (news) { news.close(); news = null; }
  }
  function stream() { return "/page/events?agent=" + encodeURIComponent(listensTo); }
  // A stream that was refused does not tell why: only one that is asked for like a page does.
  function ask() {
    var asks = new AbortController();
    stops = function () { asks.abort(); };
    again = setTimeout(listen, 3000);
    fetch(stream(), { signal: asks.signal }).then(function (answer) {
      isGone = answer.status === 401;
      if (isGone) { say("The server was started anew and does not know this browser. Let it in by: scrimshaw open. This page waits."); }
      else if (answer.status === 503) { say("Too many pages are open: this one renews itself once another is closed."); }
      else if (!answer.ok) { say("The server does not tell what changes (" + answer.status + "). This page waits."); }
      asks.abort();
    }).catch(function () {
      if (asks.signal.aborted) { return; }
      isGone = true;
      say("The server does not answer. The page waits for it.");
    });
  }
  // What a page showed while it did not listen may be old: `seen` is then what no answer says.
  function listen() {
    leave();
    if (agent() !== listensTo) { seen = null; }
    listensTo = agent();
    if (!listensTo) { return; }
    if (document.hidden) { seen = seen || "unknown"; return; }
    news = new EventSource(stream());
    news.addEventListener("at", function (event) {
      var before = seen;
      seen = event.data;
      if (before !== null && before !== seen) { renew(); }
    });
    news.addEventListener("changed", function (event) { seen = event.data; renew(); });
    news.onerror = function () {
      if (this.readyState === EventSource.CLOSED) { seen = seen || "unknown"; ask(); return; }
      isGone = true;
      say("The server does not answer. The page waits for it.");
    };
    news.onopen = function () {
      if (isGone && isInUse()) { say("The server is back."); }
      else if (isGone) { say(""); renew(); }
      else if (!isStale) { say(""); }
      isGone = false;
    };
  }
  if (window.EventSource) {
    listen();
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", function () { if (document.hidden) { leave(); } else { listen(); } });
    // The list of lines is another agent's now: so is what is listened to.
    document.addEventListener("htmx:afterSettle", function () {
      if (agent() !== listensTo) { listen(); }
    });
  }
  // The queue goes on where something was decided: what was next stands in its place.
  var place = null;
  try { place = JSON.parse(sessionStorage.getItem("queue")); sessionStorage.removeItem("queue"); } catch (_) { }
  function keepPlace(item) {
    var part = item.closest("section");
    var at = { part: part.id, at: Array.prototype.indexOf.call(part.querySelectorAll(".item"), item) };
    try { sessionStorage.setItem("queue", JSON.stringify(at)); } catch (_) { }
  }
  function goOn() {
    var part = place && document.getElementById(place.part);
    if (!part || part.matches("[hx-trigger=load]")) { return; }
    var left = part.querySelectorAll(".item"), at = place.at;
    place = null;
    if (left.length && !isInUse()) { left[Math.min(at, left.length - 1)].focus(); }
  }
  document.addEventListener("htmx:afterSettle", goOn);
  goOn();
  document.addEventListener("submit", function (event) {
    // Sent to nobody, a form would take what was typed with it.
    if (isGone) { event.preventDefault(); say("Not sent: the server does not answer. What you typed stays here."); return; }
    var item = event.target.closest("#review .item, #conflicts .item, #stale .item");
    if (item) { keepPlace(item); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) { return; }
    var at = document.activeElement;
    if (at && /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) { return; }
    var items = Array.prototype.slice.call(document.querySelectorAll(".item"));
    if (!items.length) { return; }
    var now = items.indexOf(at && at.closest ? at.closest(".item") : null);
    if (event.key === "j" || event.key === "k") {
      var to = event.key === "j" ? Math.min(now + 1, items.length - 1) : Math.max(now - 1, 0);
      items[to].focus();
    } else if (now >= 0 && /^[aesx]$/.test(event.key)) {
      var button = items[now].querySelector('[data-key="' + event.key + '"]');
      if (!button) { return; }
      event.preventDefault();  // the key is not typed into what it opens
      button.click();
      if (button.tagName === "SUMMARY") { button.parentNode.querySelector("input").focus(); }
    }
  });
}());
