// Hop counts of ns-3's OLSR on a grid that stands still: one line per ordered pair of nodes, "from to hops".
//
// Links are ideal: every station within 1.25 spacings hears a frame, nobody else, and nothing collides, so what differs
// from another OLSR is OLSR. Asks only the public interface of the ns-3 library:
//
//   g++ -std=c++17 olsr_grid.cc -o olsr_grid $(pkg-config --cflags --libs ns3-olsr ns3-internet ns3-network ns3-core)
//   ./olsr_grid SIDE SECONDS SEED

#include <cstdlib>
#include <iostream>
#include <map>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/olsr-module.h"

using namespace ns3;

int main(int argc, char** argv)
{
    const unsigned side = argc > 1 ? std::atoi(argv[1]) : 5;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 60;
    RngSeedManager::SetSeed(argc > 3 ? std::atoi(argv[3]) : 1);
    const unsigned n = side * side;

    NodeContainer nodes;
    nodes.Create(n);
    Ptr<SimpleChannel> channel = CreateObject<SimpleChannel>();
    channel->SetAttribute("Delay", TimeValue(MilliSeconds(1)));
    std::vector<Ptr<SimpleNetDevice>> devices;
    NetDeviceContainer all;
    for (unsigned i = 0; i < n; ++i)
    {
        Ptr<SimpleNetDevice> device = CreateObject<SimpleNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetChannel(channel);
        nodes.Get(i)->AddDevice(device);
        devices.push_back(device);
        all.Add(device);
    }
    for (unsigned a = 0; a < n; ++a)
    {
        for (unsigned b = 0; b < n; ++b)
        {
            const int rows = std::abs(int(a / side) - int(b / side));
            const int columns = std::abs(int(a % side) - int(b % side));
            if (a != b && rows + columns > 1)
            {
                channel->BlackList(devices[a], devices[b]);
            }
        }
    }

    OlsrHelper olsr;
    Ipv4ListRoutingHelper list;
    list.Add(olsr, 10);
    InternetStackHelper internet;
    internet.SetRoutingHelper(list);
    internet.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.0.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(all);
    std::map<Ipv4Address, unsigned> number;
    for (unsigned i = 0; i < n; ++i)
    {
        number[interfaces.GetAddress(i)] = i;
    }

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    for (unsigned i = 0; i < n; ++i)
    {
        Ptr<Ipv4RoutingProtocol> protocol = nodes.Get(i)->GetObject<Ipv4>()->GetRoutingProtocol();
        Ptr<olsr::RoutingProtocol> mine = Ipv4RoutingHelper::GetRouting<olsr::RoutingProtocol>(protocol);
        for (const auto& entry : mine->GetRoutingTableEntries())
        {
            const auto to = number.find(entry.destAddr);
            if (to != number.end())
            {
                std::cout << i << ' ' << to->second << ' ' << entry.distance << '\n';
            }
        }
    }
    Simulator::Destroy();
}
