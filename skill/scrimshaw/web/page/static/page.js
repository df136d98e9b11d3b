// What the page does by itself: say when something has changed, or the server is gone; keys for the queue.
(function () {
  "use strict";
  var state = document.getElementById("state");
  var isStale = false, isGone = false;
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
  function listen() {
    var news = new EventSource("/page/events?agent=" + encodeURIComponent(document.body.dataset.agent));
    news.addEventListener("changed", renew);
    news.onerror = function () {
      isGone = true;
      if (news.readyState !== EventSource.CLOSED) { say("The server does not answer. The page waits for it."); return; }
      say("The server was started anew and does not know this browser. Let it in by: scrimshaw open. This page waits.");
      setTimeout(listen, 3000);
    };
    news.onopen = function () {
      if (isGone && isInUse()) { say("The server is back."); }
      else if (isGone) { say(""); renew(); }
      else if (!isStale) { say(""); }
      isGone = false;
    };
    window.addEventListener("pagehide", function () { news.close(); });
  }
  if (window.EventSource) { listen(); }
  document.addEventListener("submit", function (event) {
    // Sent to nobody, a form would take what was typed with it.
    if (isGone) { event.preventDefault(); say("Not sent: the server does not answer. What you typed stays here."); }
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
    } else if (now >= 0 && /^[ax]$/.test(event.key)) {
      var button = items[now].querySelector('button[data-key="' + event.key + '"]');
      if (button) { button.click(); }
    }
  });
}());
