// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ConcurrentHashMap
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Test

/** The programs of Bugs.java as coroutines, 1,000 times each. */
@OptIn(ExperimentalCoroutinesApi::class)
class RunTestBugsTest {
  private fun check(program: suspend TestScope.() -> Unit) {
    repeat(1_000) { runTest(timeout = 10.seconds) { program() } }
  }

  @Test
  fun lostUpdate() = check {
    var counter = 0
    coroutineScope {
      launch {
        val read = counter
        delay(2)
        counter = read + 1
      }
      launch {
        delay(1)
        delay(1)
        val read = counter
        delay(2)
        counter = read + 1
      }
    }
    assertEquals(2, counter)
  }

  @Test
  fun forgottenTimeout() = check {
    var busy = false
    val scope = this
    suspend fun request() {
      val reply = CompletableDeferred<Int>()
      if (!busy) {
        busy = true
        scope.launch {
          delay(2)
          busy = false
          reply.complete(1)
        }
      }
      reply.await()
    }
    coroutineScope {
      launch { request() }
      launch {
        delay(1)
        delay(1)
        request()
      }
    }
  }

  @Test
  fun lockOrder() = check {
    val a = Mutex()
    val b = Mutex()
    coroutineScope {
      launch {
        a.lock()
        delay(2)
        b.lock()
        b.unlock()
        a.unlock()
      }
      launch {
        delay(1)
        delay(1)
        b.lock()
        delay(1)
        a.lock()
        a.unlock()
        b.unlock()
      }
    }
  }

  @Test
  fun expiredEntry() = check {
    val scope = this
    val entries = ConcurrentHashMap(mapOf("k" to scope.currentTime + 3))
    coroutineScope {
      launch {
        delay(1)
        if (entries.containsKey("k")) {
          delay(2)
          assertNotNull(entries["k"])
        }
      }
      launch {
        delay(2)
        delay(1)
        entries.values.removeIf { it <= scope.currentTime }
      }
    }
  }

  @Test
  fun race() = check {
    var counter = 0
    coroutineScope {
      launch { counter++ }
      launch { counter++ }
    }
    assertEquals(2, counter)
  }
}
