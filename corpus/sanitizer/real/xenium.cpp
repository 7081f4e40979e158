// xenium: Michael and Scott's queue with epochs and with hazard pointers, Vyukov's bounded queue, a Chase-Lev deque, Ramalhete's queue, Harris and Michael's list, a seqlock.
#include <xenium/chase_work_stealing_deque.hpp>
#include <xenium/harris_michael_list_based_set.hpp>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>
#include <xenium/seqlock.hpp>
#include <xenium/vyukov_bounded_queue.hpp>
#include <atomic>
#include <thread>
#include <vector>
#include <cstdlib>
#include <cstring>

using namespace xenium;
constexpr int ITEMS = 20;

template <class Push, class Pop>
void test(Push push, Pop pop) {
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) threads.emplace_back([&] { for (int item = 1; item <= ITEMS; item++) while (!push(item)) std::this_thread::yield(); });
    for (int i = 0; i < 2; i++) threads.emplace_back([&] {
        while (taken.load(std::memory_order_relaxed) < 2 * ITEMS) {
            if (pop()) taken.fetch_add(1, std::memory_order_relaxed);
            std::this_thread::yield();
        }
    });
    for (auto& thread : threads) thread.join();
}

template <class Reclaimer> void michael_scott() {
    michael_scott_queue<int, policy::reclaimer<Reclaimer>> queue;
    test([&](int item) { queue.push(item); return true; }, [&] { int item; return queue.try_pop(item); });
}
template <class Reclaimer> void ramalhete() {
    ramalhete_queue<int*, policy::reclaimer<Reclaimer>, policy::entries_per_node<4>> queue;
    test([&](int item) { queue.push(new int(item)); return true; }, [&] { int* item; if (!queue.try_pop(item)) return false; delete item; return true; });
}
void vyukov() {
    vyukov_bounded_queue<int> queue(4);
    test([&](int item) { return queue.try_push(item); }, [&] { int item; return queue.try_pop(item); });
}
void chase_lev() {
    chase_work_stealing_deque<int> deque;
    std::atomic<int> taken{0};
    std::thread owner([&] { for (int item = 0; item < ITEMS; item++) { deque.try_push(new int(item)); int* got; if (item % 3 == 0 && deque.try_pop(got)) { delete got; taken.fetch_add(1, std::memory_order_relaxed); } } });
    std::vector<std::thread> thieves;
    for (int i = 0; i < 2; i++) thieves.emplace_back([&] { while (taken.load(std::memory_order_relaxed) < ITEMS) { int* got; if (deque.try_steal(got)) { delete got; taken.fetch_add(1, std::memory_order_relaxed); } std::this_thread::yield(); } });
    owner.join();
    for (auto& thief : thieves) thief.join();
}
template <class Reclaimer> void list() {
    harris_michael_list_based_set<int, policy::reclaimer<Reclaimer>> set;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) threads.emplace_back([&, i] { for (int item = 0; item < ITEMS; item++) { set.emplace((item * 7 + i) % 8); set.contains(item % 8); set.erase((item * 5 + i) % 8); } });
    for (auto& thread : threads) thread.join();
}
struct Three { long a, b, c; };
void sequence() {
    seqlock<Three> lock(Three{0, 0, 0});
    std::vector<std::thread> threads;
    threads.emplace_back([&] { for (int i = 0; i < ITEMS; i++) lock.store(Three{i, i, i}); });
    for (int i = 0; i < 2; i++) threads.emplace_back([&] { for (int i = 0; i < ITEMS; i++) { Three now = lock.load(); if (now.a != now.b || now.b != now.c) std::abort(); } });
    for (auto& thread : threads) thread.join();
}
using epochs = reclamation::epoch_based<>;
using hazards = reclamation::hazard_pointer<>::with<policy::allocation_strategy<reclamation::hp_allocation::static_strategy<3>>>;

int main(int, char** arguments) {
    auto is = [&](const char* name) { return !std::strcmp(arguments[1], name); };
    if (is("michael-scott-epoch")) michael_scott<epochs>();
    if (is("michael-scott-hazard")) michael_scott<hazards>();
    if (is("ramalhete-epoch")) ramalhete<epochs>();
    if (is("vyukov")) vyukov();
    if (is("chase-lev")) chase_lev();
    if (is("list-hazard")) list<hazards>();
    if (is("seqlock")) sequence();
}
